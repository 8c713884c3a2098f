import { type Crd, storageVersion, versionNames } from "#lib/domain/definition/crd.ts";
import { validSettlePoint } from "#lib/domain/record/valid-evidence.ts";
import { versionPriorityOrder } from "#lib/domain/versions/version-priority.ts";
import { basisOfBounds, type StoredBasis } from "./basis-of-bounds.ts";
import { type EtcdCount, isTelling } from "./etcd-count.ts";
import { isAboveSettlePoint } from "./resource-version.ts";

export interface StoredBounds {
  atLeast: number | null;
  atMost: number | null;
  basis: StoredBasis;
}

/** A scan's tallies so far. */
export interface Scan {
  /** All objects; null when unknown. */
  total: number | null;
  /** The settle point's resourceVersion; null for none. */
  settlePoint: string | null;
  /** Objects seen above the settle point that nothing is deleting. */
  aboveSettlePoint: number;
  lastWrittenAs: Map<string, number>;
  managedFieldsAs: Map<string, number>;
}

/** Whoever wrote the objects chose what their managedFields name: thousands of gone versions each, of which no page shows so many. */
const MOST_GONE = 1_000;

/** Counts one object's evidence into the scan: for the definition's `own` versions, and for the first thousand others. */
export function scanObject(
  scan: Scan,
  object: { resourceVersion: string; deletionTimestamp: number | null; writes: readonly { version: string; at: number }[] },
  own: ReadonlySet<string>,
): void {
  const add = (counts: Map<string, number>, version: string) => {
    const before = counts.get(version);
    if (before !== undefined || own.has(version) || counts.size < own.size + MOST_GONE) counts.set(version, (before ?? 0) + 1);
  };
  // A slow deletion may store an object from what it read before the settle point.
  if (object.deletionTimestamp === null && isAboveSettlePoint(object.resourceVersion, scan.settlePoint)) scan.aboveSettlePoint += 1;
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
  { total, settlePoint, aboveSettlePoint }: Pick<Scan, "total" | "settlePoint" | "aboveSettlePoint">,
  now: number,
): (version: string) => StoredBounds {
  if (total === null) return () => ({ atLeast: null, atMost: null, basis: "none" });
  const storage = storageVersion(crd)?.name;
  const all = (basis: StoredBasis): StoredBounds => ({ atLeast: total, atMost: total, basis });
  const noneOfThem = (basis: StoredBasis): StoredBounds => ({ atLeast: 0, atMost: 0, basis });
  const anyOfThem: StoredBounds = { atLeast: 0, atMost: total, basis: "none" };
  const basis = basisOfBounds(crd, now);
  if (basis === "none") return () => anyOfThem;
  if (basis === "proof") return (version) => (version === storage ? all(basis) : noneOfThem(basis));
  const listed = new Set(crd.storedVersions);
  // Once, since a definition may have thousands of versions. Objects above another settle point tell nothing about this one.
  const isSettled = basis === "settle-point" && validSettlePoint(crd)?.resourceVersion === settlePoint;
  return (version) => {
    if (!listed.has(version)) return noneOfThem("declared");
    if (listed.size === 1) return all("declared");
    if (!isSettled) return anyOfThem;
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
