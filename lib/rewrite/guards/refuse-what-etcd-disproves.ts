import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { withRememberedCount } from "#lib/cluster/definitions/evidence/remembered-counts.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { recountInEtcd } from "#lib/cluster/fleet/remember-counts.ts";
import { readMigrationsOf } from "#lib/cluster/migrations/list-migrations.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { Refusal } from "#lib/domain/rewrite/refusals.ts";
import { refuse } from "./refuse.ts";

/**
 * Counts the objects in this cluster's etcd, if configured, before a change that relies on a version having none. A failed count refuses
 * nothing; only a contradicting one does. Returns the definition as it was read, and what refused the change already, in which case nothing
 * was counted: the caller has to throw it even if a later read finds nothing that refuses the change.
 * @throws AppError precondition_failed with the refusal that the count causes.
 */
export async function refuseWhatEtcdDisproves(
  connection: Connection,
  crdName: string,
  refusalOf: (crd: Crd) => Refusal | null,
  signal: AbortSignal,
): Promise<{ crd: Crd; uncounted: Refusal | null }> {
  const note = fleetOf(connection).beginRead();
  const { crd } = await readCrd(connection, crdName, signal);
  // Without the migrations, a condition that one has left behind refuses it, too.
  const migrations = refusalOf(crd) && (await readMigrationsOf(connection, crdName, signal));
  const uncounted = migrations && refusalOf({ ...crd, ...migrations });
  if (uncounted) return { crd, uncounted };
  await recountInEtcd(connection, crd, signal);
  note(crd);
  // Not from the fleet, which may have been given up, or begun anew, while etcd counted.
  const refusal = refusalOf({ ...withRememberedCount(connection, crd), ...migrations });
  if (refusal) throw refuse(refusal);
  return { crd, uncounted };
}
