import type { ExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { managedFieldsEntries } from "#lib/domain/objects/managed-fields.ts";
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
  /** More objects are possible: the count is only a lower bound, or several versions are gone and an object may name more than one. */
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
  return {
    asOf: count.asOf,
    versions: gone.map(([version]) => version),
    objects: first[1],
    atLeast: count.atLeast === true || gone.length > 1,
  };
}

/** Whether an entry of managedFields that names this version breaks server-side apply. An entry without a version doesn't. */
export function isGoneVersion(crd: Pick<Crd, "versions">, version: string): boolean {
  return version !== "" && !versionNames(crd).has(version);
}

/** No apply works while it does. */
export function namesGoneVersion(crd: Pick<Crd, "versions">, managedFields: readonly ExactJson[]): boolean {
  return managedFieldsEntries([...managedFields]).some(({ version }) => isGoneVersion(crd, version));
}

/**
 * In how many objects a proven rewrite has since changed managedFields, by the run's id, and by a proof that this installation signed:
 * anyone can write that a run did. A new spec says nothing about them.
 */
export function changedByProvenRun(crd: Crd, { asOf }: ManagedFieldsCount): Map<string, number> {
  const proof = truthfulProof(crd);
  const run = proof && Date.parse(proof.provenAt) > Date.parse(asOf) && readableRecord(crd)?.runs.find(({ id }) => id === proof.runId);
  return new Map(run ? [[run.id, changedManagedFields(run)]] : []);
}

/**
 * In how many objects a run has carried over or lost managedFields: any number if it has let another engine write objects. None if it left
 * them as they were, as the API server does from Kubernetes 1.37 on.
 */
export function changedManagedFields({ ownership, delegation }: Pick<Run, "ownership" | "delegation">): number {
  return delegation === null ? ownership.kept + ownership.lost : Number.POSITIVE_INFINITY;
}

/** In how many objects these runs have changed managedFields since the count, by what each has changed in all. */
export function changedSince({ changedBefore }: ManagedFieldsCount, byRuns: ReadonlyMap<string, number>): number {
  const since = [...byRuns].map(([id, objects]) =>
    objects === Number.POSITIVE_INFINITY ? objects : objects - (changedBefore?.get(id) ?? 0),
  );
  return since.reduce((all, objects) => all + Math.max(0, objects), 0);
}

/**
 * The count once managedFields have changed in so many objects: as many fewer may name a version that is gone, but some may never have done
 * so. Null if it may be none, and the count outdated.
 */
export function countAfterChanges(crd: Pick<Crd, "versions">, count: ManagedFieldsCount, changed: number): ManagedFieldsCount | null {
  if (changed === 0) return count;
  const left = [...count.versions].filter(([version, objects]) => isGoneVersion(crd, version) && objects > changed);
  if (left.length === 0) return null;
  return { ...count, versions: new Map(left.map(([version, objects]) => [version, objects - changed])), atLeast: true };
}
