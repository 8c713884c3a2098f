import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { rememberedCounts } from "#lib/cluster/definitions/evidence/remembered-counts.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { recountInEtcd } from "#lib/cluster/fleet/remember-counts.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { Refusal } from "#lib/domain/rewrite/refusals.ts";
import { refuse } from "./refuse.ts";

/**
 * Counts the objects in this cluster's etcd, if configured, before a change that relies on a version having none. A failed count refuses
 * nothing; only a contradicting one does. Returns the definition as it was read.
 * @throws AppError precondition_failed with the refusal that the count causes.
 */
export async function refuseWhatEtcdDisproves(
  connection: Connection,
  crdName: string,
  refusalOf: (crd: Crd) => Refusal | null,
  signal: AbortSignal,
): Promise<Crd> {
  const note = fleetOf(connection).beginRead();
  const { crd } = await readCrd(connection, crdName, signal);
  // If it is refused anyway, skip the count. This copy of the definition has no earlier count.
  if (refusalOf(crd)) return crd;
  await recountInEtcd(connection, crd, signal);
  note(crd);
  // Not from the fleet, which may have been given up, or begun anew, while etcd counted.
  const refusal = refusalOf({ ...crd, etcdCount: rememberedCounts.get(connection, crd.uid) ?? null });
  if (refusal) throw refuse(refusal);
  return crd;
}
