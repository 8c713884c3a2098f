import type { ManagedFieldsCount } from "#lib/domain/objects/managed-fields-count.ts";
import { readableRecord } from "#lib/domain/rewrite/valid-proof.ts";
import type { Crd } from "./crd.ts";

/** Objects that server-side apply fails for, because their managedFields name versions that are gone from spec.versions. */
export interface BrokenApplies {
  asOf: string;
  /** The versions that are gone, most objects first. */
  versions: string[];
  objects: number;
  /** More objects are possible: several versions are gone, and the count doesn't say how many objects name more than one. */
  atLeast: boolean;
}

/** What the last count says about server-side apply; null when it works, or when nothing is known. */
export function brokenApplies(crd: Pick<Crd, "versions" | "managedFieldsCount" | "record">): BrokenApplies | null {
  const count = crd.managedFieldsCount;
  if (!count || isRewrittenSince(crd, count)) return null;
  const gone = [...count.versions]
    .filter(([version, objects]) => objects > 0 && isGoneVersion(crd, version))
    .sort(([, one], [, other]) => other - one);
  const [first] = gone;
  if (!first) return null;
  return { asOf: count.asOf, versions: gone.map(([version]) => version), objects: first[1], atLeast: gone.length > 1 };
}

/** Whether an entry of managedFields that names this version breaks server-side apply. An entry without a version doesn't. */
export function isGoneVersion({ versions }: Pick<Crd, "versions">, version: string): boolean {
  return version !== "" && !versions.some(({ name }) => name === version);
}

/**
 * Whether a rewrite has since carried over or lost managedFields, or another engine has written objects. A new spec says nothing about
 * them, nor does a rewrite that left them as they were, as the API server does from Kubernetes 1.37 on.
 */
export function isRewrittenSince(crd: Pick<Crd, "record">, { asOf }: ManagedFieldsCount): boolean {
  const at = Date.parse(asOf);
  return (readableRecord(crd)?.runs ?? []).some(
    ({ ownership, delegation, endedAt, renewedAt }) =>
      (ownership.kept > 0 || ownership.lost > 0 || delegation !== null) && Date.parse(endedAt ?? renewedAt) > at,
  );
}
