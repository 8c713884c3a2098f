import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { recountInEtcd } from "#lib/cluster/etcd/recount-in-etcd.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { Refusal } from "#lib/domain/rewrite/refusals.ts";
import { refuse } from "./refuse.ts";

/**
 * Where this cluster's etcd is configured, counts the objects there before something is done that rests on there being none in a
 * version. What can't be read there holds nothing back; only what contradicts does.
 * @throws AppError precondition_failed with the refusal that the count brings about.
 */
export async function refuseWhatEtcdDisproves(
  connection: Connection,
  crdName: string,
  refusalOf: (crd: Crd) => Refusal | null,
  signal: AbortSignal,
): Promise<void> {
  const { crd } = await readCrd(connection, crdName, signal);
  // Nothing is counted for what is refused anyway; this reading of the definition knows of no earlier count.
  if (refusalOf(crd)) return;
  await recountInEtcd(connection, crd, signal);
  fleetOf(connection).noteCrd(crd);
  const known = fleetOf(connection).crd(crdName);
  const refusal = known && refusalOf({ ...crd, etcdCount: known.etcdCount });
  if (refusal) throw refuse(refusal);
}
