import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { readMigrationsOf } from "#lib/cluster/migrations/read-migrations-of.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { restoredStoredVersions, restoreRefusal } from "#lib/domain/rewrite/refusals.ts";
import { refuse } from "#lib/rewrite/guards/refuse.ts";
import { recordAction } from "#lib/rewrite/record/record-action.ts";
import { writeUnchanged } from "./prune-stored-versions.ts";

/**
 * Puts versions back into status.storedVersions. The API server allows only versions that are in spec.versions.
 * @throws AppError precondition_failed if that is refused.
 */
export async function restoreStoredVersions(
  connection: Connection,
  crdName: string,
  versions: string[],
  signal: AbortSignal,
): Promise<Crd> {
  const { crd } = await readCrd(connection, crdName, signal);
  const migrations = await readMigrationsOf(connection, crdName, signal);
  const refusal = restoreRefusal({ ...crd, ...migrations }, versions, Date.now());
  if (refusal) throw refuse(refusal);
  const restored = await writeUnchanged(connection, crd, restoredStoredVersions(crd, versions), signal);
  const putBack = versions.filter((version) => !crd.storedVersions.includes(version));
  const message = `${putBack.join(", ")} ${putBack.length === 1 ? "was" : "were"} put back into status.storedVersions.`;
  recordAction(connection, crdName, { kind: "restored", at: new Date().toISOString(), run: null, message });
  return restored;
}
