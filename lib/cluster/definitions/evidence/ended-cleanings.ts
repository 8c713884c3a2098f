import type { ClusterAddress } from "#lib/cluster/connection/cluster-key.ts";
import { cleanedCount, type ManagedFieldsCount } from "#lib/domain/objects/managed-fields-count.ts";
import { perDefinition } from "./per-definition.ts";

/** Cleanings, of whomever, that have changed objects of a definition. Each has a number, from 1 on. */
interface EndedCleanings {
  last: number;
  /** The last one that may have left entries, or whose versions aren't known any more; 0 if there was none. */
  incomplete: number;
  /** The last one that left no entry of a version, by version. */
  complete: ReadonlyMap<string, number>;
}

/** Whoever cleans names the versions. */
const MOST_VERSIONS = 100;

const endedCleanings = perDefinition<EndedCleanings>("ended-cleanings");
const none: EndedCleanings = { last: 0, incomplete: 0, complete: new Map() };

/** The number of the last cleaning that has ended; 0 if none has. */
export function lastCleaning(cluster: ClusterAddress, uid: string): number {
  return (endedCleanings.get(cluster, uid) ?? none).last;
}

/** Notes a cleaning that left no entry of these versions, or nobody knows which (null). */
export function noteEndedCleaning(cluster: ClusterAddress, uid: string, versions: readonly string[] | null): void {
  const before = endedCleanings.get(cluster, uid) ?? none;
  const last = before.last + 1;
  let incomplete = versions === null ? last : before.incomplete;
  const complete = new Map(before.complete);
  for (const version of versions ?? []) {
    complete.delete(version);
    complete.set(version, last);
  }
  for (const [version, at] of complete) {
    if (complete.size <= MOST_VERSIONS) break;
    complete.delete(version);
    incomplete = Math.max(incomplete, at);
  }
  endedCleanings.set(cluster, uid, { last, incomplete, complete });
}

/** What a count says after all cleanings that have ended since it began; null once one may have left entries. */
export function countAfterCleanings(cluster: ClusterAddress, uid: string, count: ManagedFieldsCount): ManagedFieldsCount | null {
  const { incomplete, complete } = endedCleanings.get(cluster, uid) ?? none;
  const began = count.lastCleaning ?? 0;
  if (incomplete > began) return null;
  const cleaned = [...complete].flatMap(([version, at]) => (at > began ? [version] : []));
  return cleaned.length === 0 ? count : cleanedCount(count, cleaned);
}
