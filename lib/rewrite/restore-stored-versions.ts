import type { Connection } from "#lib/cluster/connection.ts";
import { readCrd } from "#lib/cluster/crds.ts";
import type { Crd } from "#lib/domain/crd.ts";
import { restoredStoredVersions, restoreRefusal } from "#lib/domain/refusals.ts";
import { writeUnchanged } from "./prune-stored-versions.ts";
import { refuse } from "./refuse.ts";

/**
 * Puts versions back into status.storedVersions, which the API server allows while they are in spec.versions.
 * @throws AppError precondition_failed otherwise.
 */
export async function restoreStoredVersions(
  connection: Connection,
  crdName: string,
  versions: string[],
  signal: AbortSignal,
): Promise<Crd> {
  const { crd } = await readCrd(connection, crdName, signal);
  const refusal = restoreRefusal(crd, versions, Date.now());
  if (refusal) throw refuse(refusal);
  return writeUnchanged(connection, crd, restoredStoredVersions(crd, versions), signal);
}
