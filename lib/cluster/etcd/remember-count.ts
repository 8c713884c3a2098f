import type { Connection } from "#lib/cluster/connection/connection.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { EtcdCount } from "#lib/domain/objects/etcd-count.ts";
import { compareResourceVersions } from "#lib/domain/objects/resource-version.ts";
import { rememberedCounts } from "./remembered-counts.ts";

/** Keeps a complete count for the definition's state, unless a newer one is known, and notifies the fleet's subscribers. */
export function rememberCount(connection: Connection, { name, uid }: Crd, count: EtcdCount): void {
  const counts = rememberedCounts();
  const known = counts.get(uid);
  if (known && compareResourceVersions(count.revision, known.revision) < 0) return;
  counts.set(uid, count);
  const fleet = fleetOf(connection);
  const seen = fleet.crd(name);
  if (seen?.uid === uid) fleet.noteCrd(seen);
}
