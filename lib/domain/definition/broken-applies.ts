import type { ManagedFieldsCount } from "#lib/domain/objects/managed-fields-count.ts";
import { readableRecord } from "#lib/domain/record/rewrite-record.ts";
import { truthfulProof } from "#lib/domain/record/valid-evidence.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import { type Crd, versionNames } from "./crd.ts";

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
export function brokenApplies(crd: Pick<Crd, "versions" | "managedFieldsCount">): BrokenApplies | null {
  const count = crd.managedFieldsCount;
  if (!count) return null;
  const gone = [...count.versions]
    .filter(([version, objects]) => objects > 0 && isGoneVersion(crd, version))
    .sort(([, one], [, other]) => other - one);
  const [first] = gone;
  if (!first) return null;
  return { asOf: count.asOf, versions: gone.map(([version]) => version), objects: first[1], atLeast: gone.length > 1 };
}

/** Whether an entry of managedFields that names this version breaks server-side apply. An entry without a version doesn't. */
export function isGoneVersion(crd: Pick<Crd, "versions">, version: string): boolean {
  return version !== "" && !versionNames(crd).has(version);
}

/**
 * Whether a proven rewrite has since changed managedFields, by a proof that this installation signed: anyone can write that a run did. A
 * new spec says nothing about them.
 */
export function isRewrittenSince(crd: Crd, { asOf }: ManagedFieldsCount): boolean {
  const proof = truthfulProof(crd);
  if (!proof || Date.parse(proof.provenAt) <= Date.parse(asOf)) return false;
  return readableRecord(crd)?.runs.some((run) => run.id === proof.runId && changesManagedFields(run)) ?? false;
}

/**
 * Whether a run has carried over or lost managedFields, or has let another engine write objects. Not one that left them as they were, as
 * the API server does from Kubernetes 1.37 on.
 */
export function changesManagedFields({ ownership, delegation }: Pick<Run, "ownership" | "delegation">): boolean {
  return ownership.kept > 0 || ownership.lost > 0 || delegation !== null;
}
