import type { Connection } from "#lib/cluster/connection/connection.ts";
import { endedCleanings } from "#lib/cluster/definitions/evidence/ended-cleanings.ts";
import { changedByOwnRuns } from "#lib/cluster/definitions/evidence/own-runs.ts";
import { rememberedCounts } from "#lib/cluster/definitions/evidence/remembered-counts.ts";
import { countInEtcd } from "#lib/cluster/etcd/count-in-etcd.ts";
import { changedManagedFields } from "#lib/domain/definition/broken-applies.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { EtcdCount } from "#lib/domain/objects/etcd-count.ts";
import { cleanedCount } from "#lib/domain/objects/managed-fields-count.ts";
import { compareResourceVersions } from "#lib/domain/objects/resource-version.ts";
import { readableRecord } from "#lib/domain/record/rewrite-record.ts";
import { fleetOf } from "./fleet-of.ts";
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
 * fleet's subscribers. A cleaning that ended meanwhile makes it unknown: nothing is kept.
 */
export function beginManagedFieldsCount(connection: Connection, crd: Crd): (versions: ReadonlyMap<string, number>) => void {
  const asOf = new Date().toISOString();
  const cleaningsBefore = endedCleanings.get(connection, crd.uid) ?? 0;
  const recorded = readableRecord(fleetOf(connection).lastSeen(crd.name) ?? crd)?.runs ?? [];
  const changedBefore = new Map(recorded.map((run) => [run.id, changedManagedFields(run)]));
  for (const [id, objects] of changedByOwnRuns(connection, crd.uid)) changedBefore.set(id, Math.max(objects, changedBefore.get(id) ?? 0));
  return (versions) => {
    if ((endedCleanings.get(connection, crd.uid) ?? 0) !== cleaningsBefore) return;
    rememberedManagedFields(connection).set(crd.uid, { asOf, versions: new Map(versions), changedBefore, cleaningsBefore });
    announce(connection, crd);
  };
}

/**
 * Notes that a cleaning which has changed objects has ended: a count under way saw some of them before, and some after, and the last count
 * of everyone else is outdated. forgetCleaned says what is left of this connection's.
 */
export function noteCleaning(connection: Connection, { uid }: Crd): void {
  const before = endedCleanings.get(connection, uid) ?? 0;
  endedCleanings.set(connection, uid, before + 1);
  const counts = rememberedManagedFields(connection);
  const own = counts.get(uid);
  if (own && (own.cleaningsBefore ?? 0) === before) counts.set(uid, { ...own, cleaningsBefore: before + 1 });
}

/** Takes cleaned versions out of the last count, or drops that count if it is unknown which objects were cleaned (null). */
export function forgetCleaned(connection: Connection, crd: Crd, versions: readonly string[] | null): void {
  const counts = rememberedManagedFields(connection);
  const known = counts.get(crd.uid);
  if (!known) return;
  if (versions) counts.set(crd.uid, cleanedCount(known, versions));
  else counts.delete(crd.uid);
  announce(connection, crd);
}

function announce(connection: Connection, { name, uid }: Crd): void {
  const fleet = fleetOf(connection);
  const seen = fleet.crd(name);
  if (seen?.uid === uid) fleet.noteCrd(seen);
}
