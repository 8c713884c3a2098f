import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { readMigrationsOf } from "#lib/cluster/migrations/list-migrations.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { refuseOtherGeneration } from "#lib/rewrite/guards/refuse-other-generation.ts";

/**
 * The current definition with the migrations of other engines, for a change of a spec that the caller has seen.
 * @throws AppError precondition_failed if the generation is not the expected one.
 */
export async function readForChange(
  connection: Connection,
  crdName: string,
  expectedGeneration: number | undefined,
  signal: AbortSignal,
): Promise<Crd> {
  const { crd } = await readCrd(connection, crdName, signal);
  const migrations = await readMigrationsOf(connection, crdName, signal);
  refuseOtherGeneration(crd, expectedGeneration);
  return { ...crd, ...migrations };
}
