import type { Connection } from "#lib/cluster/connection/connection.ts";
import { countAfterCleanings, lastCleaning, noteEndedCleaning } from "#lib/cluster/definitions/evidence/ended-cleanings.ts";
import { changedByOwnRuns } from "#lib/cluster/definitions/evidence/own-runs.ts";
import { rememberedCounts } from "#lib/cluster/definitions/evidence/remembered-counts.ts";
import { countInEtcd } from "#lib/cluster/etcd/count-in-etcd.ts";
import { changedManagedFields } from "#lib/domain/definition/broken-applies.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { EtcdCount } from "#lib/domain/objects/etcd-count.ts";
import { cleanedCount } from "#lib/domain/objects/managed-fields-count.ts";
import { compareResourceVersions } from "#lib/domain/objects/resource-version.ts";
import { readableRecord } from "#lib/domain/record/rewrite-record.ts";
import { fleetOf, fleetsOfCluster } from "./fleet-of.ts";
import { rememberedManagedFields } from "./known-crds.ts";

/** Keeps a complete count for the definition's state, unless a newer one is known, and notifies the fleet's subscribers. */
export function rememberCount(connection: Connection, crd: Crd, count: EtcdCount): void {
  const known = rememberedCounts.get(connection, crd.uid);
  if (known && compareResourceVersions(count.revision, known.revision) < 0) return;
  rememberedCounts.set(connection, crd.uid, count);
  announce(connection, crd);
}

/** Counts a definition's objects in etcd for its state. If etcd fails or belongs to another cluster, nothing changes. */
export async function recountInEtcd(connection: Connection, crd: Crd, signal: AbortSignal): Promise<void> {
  for await (const reading of countInEtcd(crd, signal)) {
    if (reading.kind === "complete") rememberCount(connection, crd, reading.count);
  }
}

/**
 * Begins a count of a definition's managedFields. Returns what keeps it for the definition's state once it is complete, and notifies the
 * fleet's subscribers. A cleaning that ended meanwhile, and may have left entries, makes it unknown: nothing is kept.
 */
export function beginManagedFieldsCount(connection: Connection, crd: Crd): (versions: ReadonlyMap<string, number>) => void {
  const asOf = new Date().toISOString();
  const cleaned = { lastCleaning: lastCleaning(connection, crd.uid) };
  const recorded = readableRecord(fleetOf(connection).lastSeen(crd.name) ?? crd)?.runs ?? [];
  const changedBefore = new Map(recorded.map((run) => [run.id, changedManagedFields(run)]));
  for (const [id, objects] of changedByOwnRuns(connection, crd.uid)) changedBefore.set(id, Math.max(objects, changedBefore.get(id) ?? 0));
  return (versions) => {
    const count = { asOf, versions: new Map(versions), changedBefore, ...cleaned };
    if (countAfterCleanings(connection, crd.uid, count) === null) return;
    rememberedManagedFields(connection).set(crd.uid, count);
    announce(connection, crd);
  };
}

/**
 * Notes that a cleaning which has changed objects has ended: it takes these versions out of everyone's counts, also of those under way,
 * which saw some objects before and some after. Where it may have left entries (null), these counts are unknown. Notifies all subscribers.
 */
export function noteCleaning(connection: Connection, crd: Crd, versions: readonly string[] | null): void {
  noteEndedCleaning(connection, crd.uid, versions);
  // Theirs may be an older definition, which must not be taken for news.
  for (const fleet of fleetsOfCluster(connection)) fleet.tellOf(crd.name);
}

/** Takes versions that no entry names out of this connection's last count. */
export function forgetUnnamed(connection: Connection, crd: Crd, versions: readonly string[]): void {
  const counts = rememberedManagedFields(connection);
  const known = counts.get(crd.uid);
  if (!known) return;
  counts.set(crd.uid, cleanedCount(known, versions));
  announce(connection, crd);
}

function announce(connection: Connection, { name, uid }: Crd): void {
  const fleet = fleetOf(connection);
  const seen = fleet.lastSeen(name);
  if (seen?.uid === uid) fleet.noteCrd(seen);
}
