import type { Connection } from "#lib/cluster/connection/connection.ts";
import { countInEtcd } from "#lib/cluster/etcd/count-in-etcd.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { EtcdCount } from "#lib/domain/objects/etcd-count.ts";
import { cleanedCount } from "#lib/domain/objects/managed-fields-count.ts";
import { compareResourceVersions } from "#lib/domain/objects/resource-version.ts";
import { fleetOf } from "./fleet.ts";
import { rememberedCounts, rememberedManagedFields } from "./known-crds.ts";

/** Keeps a complete count for the definition's state, unless a newer one is known, and notifies the fleet's subscribers. */
export function rememberCount(connection: Connection, crd: Crd, count: EtcdCount): void {
  const counts = rememberedCounts();
  const known = counts.get(crd.uid);
  if (known && compareResourceVersions(count.revision, known.revision) < 0) return;
  counts.set(crd.uid, count);
  announce(connection, crd);
}

/** Counts a definition's objects in etcd for its state. If etcd fails or belongs to another cluster, nothing changes. */
export async function recountInEtcd(connection: Connection, crd: Crd, signal: AbortSignal): Promise<void> {
  for await (const reading of countInEtcd(crd, signal)) {
    if (reading.kind === "complete") rememberCount(connection, crd, reading.count);
  }
}

/** Keeps a complete count for the definition's state, and notifies the fleet's subscribers. */
export function rememberManagedFields(connection: Connection, crd: Crd, versions: ReadonlyMap<string, number>): void {
  rememberedManagedFields(connection).set(crd.uid, { asOf: new Date().toISOString(), versions: new Map(versions) });
  announce(connection, crd);
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
