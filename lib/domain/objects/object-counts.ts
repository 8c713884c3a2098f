import { contradictionOf } from "#lib/domain/definition/contradiction.ts";
import { type Crd, storageVersion, versionNames } from "#lib/domain/definition/crd.ts";
import { storedVersionsProblem } from "#lib/domain/definition/stored-versions.ts";
import { doubtOf } from "#lib/domain/record/doubt.ts";
import { validProof, validSettlePoint } from "#lib/domain/record/valid-evidence.ts";
import { conditionAtWork, failedUnproven, prunedUnproven } from "#lib/domain/rewrite/other-engines.ts";
import { versionPriorityOrder } from "#lib/domain/versions/version-priority.ts";
import { type EtcdCount, isTelling } from "./etcd-count.ts";
import { isAboveSettlePoint } from "./resource-version.ts";

export type StoredBasis = "proof" | "etcd" | "settle-point" | "declared" | "none";

export interface StoredBounds {
  atLeast: number | null;
  atMost: number | null;
  basis: StoredBasis;
}

/** A scan's tallies so far. */
export interface Scan {
  /** All objects; null when unknown. */
  total: number | null;
  /** Objects seen above the settle point. */
  aboveSettlePoint: number;
  lastWrittenAs: Map<string, number>;
  managedFieldsAs: Map<string, number>;
}

/** Whoever wrote the objects chose what their managedFields name: thousands of gone versions each, of which no page shows so many. */
const MOST_GONE = 1_000;

/** Counts one object's evidence into the scan: for the definition's `own` versions, and for the first thousand others. */
export function scanObject(
  scan: Scan,
  object: { resourceVersion: string; writes: readonly { version: string; at: number }[] },
  settleResourceVersion: string | null,
  own: ReadonlySet<string>,
): void {
  const add = (counts: Map<string, number>, version: string) => {
    const before = counts.get(version);
    if (before !== undefined || own.has(version) || counts.size < own.size + MOST_GONE) counts.set(version, (before ?? 0) + 1);
  };
  if (isAboveSettlePoint(object.resourceVersion, settleResourceVersion)) scan.aboveSettlePoint += 1;
  const [first, ...rest] = object.writes;
  if (!first) return;
  const newest = rest.reduce((latest, write) => (write.at >= latest.at ? write : latest), first);
  add(scan.lastWrittenAs, newest.version);
  for (const version of new Set(object.writes.map((write) => write.version))) add(scan.managedFieldsAs, version);
}

/** Bounds on the objects stored in a version, from etcd; null when the count gives no information. */
export function boundsInEtcd(count: EtcdCount, version: string): StoredBounds | null {
  if (!isTelling(count)) return null;
  const known = count.versions.values().reduce((sum, { objects }) => sum + objects, 0);
  const atLeast = count.versions.get(version)?.objects ?? 0;
  return { atLeast, atMost: atLeast + count.total - known, basis: "etcd" };
}

/** Bounds on the objects stored in each version at `now` (ms) without etcd, with their basis. */
export function storedBounds(
  crd: Crd,
  { total, aboveSettlePoint }: Pick<Scan, "total" | "aboveSettlePoint">,
  now: number,
): (version: string) => StoredBounds {
  if (total === null) return () => ({ atLeast: null, atMost: null, basis: "none" });
  const storage = storageVersion(crd)?.name;
  const all = (basis: StoredBasis): StoredBounds => ({ atLeast: total, atMost: total, basis });
  const noneOfThem = (basis: StoredBasis): StoredBounds => ({ atLeast: 0, atMost: 0, basis });
  const anyOfThem: StoredBounds = { atLeast: 0, atMost: total, basis: "none" };
  if (contradictionOf(crd)) return () => anyOfThem;
  if (validProof(crd)) return (version) => (version === storage ? all("proof") : noneOfThem("proof"));
  if (!isDeclarationTrusted(crd, now)) return () => anyOfThem;
  const listed = new Set(crd.storedVersions);
  const settlePoint = validSettlePoint(crd);
  return (version) => {
    if (!listed.has(version)) return noneOfThem("declared");
    if (listed.size === 1) return all("declared");
    if (!settlePoint) return anyOfThem;
    return version === storage
      ? { atLeast: aboveSettlePoint, atMost: total, basis: "settle-point" }
      : { atLeast: 0, atMost: Math.max(0, total - aboveSettlePoint), basis: "settle-point" };
  };
}

/** The versions in the spec or in storedVersions. */
export function ownVersions(crd: Pick<Crd, "versions" | "storedVersions">): Set<string> {
  return new Set([...versionNames(crd), ...crd.storedVersions]);
}

/** The versions to count: those in the spec by priority, then others named by storedVersions, managedFields, or etcd. */
export function countedVersions(crd: Crd, scan: Scan, etcd: EtcdCount | null): string[] {
  const known = versionPriorityOrder(crd.versions).map(({ name }) => name);
  const named = [...crd.storedVersions, ...scan.managedFieldsAs.keys(), ...(etcd?.versions.keys() ?? [])];
  const others = new Set(named).difference(new Set(["", ...known]));
  return [...known, ...[...others].sort()];
}

// A running or failed in-tree migration prunes storedVersions with objects left behind. A list that is invalid, was shortened without a
// proof, or is in doubt can't be trusted either, and an unreadable record may hold a doubt.
function isDeclarationTrusted(crd: Crd, now: number): boolean {
  const shrank = crd.shrankWithoutProof.length > 0;
  const isMigrating = conditionAtWork(crd) !== null || crd.migrations.some(({ phase }) => phase === "running");
  // Versions removed during a live delegated run are unproven too.
  const isPruned = prunedUnproven(crd, Number.POSITIVE_INFINITY).length > 0;
  if (crd.record === "unreadable" || doubtOf(crd, now)) return false;
  return storedVersionsProblem(crd, crd.storedVersions) === null && !shrank && !failedUnproven(crd) && !isMigrating && !isPruned;
}
