import type { Connection } from "#lib/cluster/connection/connection.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { readMigrationsOf } from "#lib/cluster/migrations/list-migrations.ts";
import { isUnconfirmed } from "#lib/contract/app-error.ts";
import { missingStoredVersions } from "#lib/domain/definition/contradiction.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { lastPrune, undoesPrune } from "#lib/domain/record/last-prune.ts";
import { readableRecord } from "#lib/domain/record/rewrite-record.ts";
import { relistedStoredVersions, relistRefusal } from "#lib/domain/rewrite/refusals.ts";
import { readToWrite } from "#lib/rewrite/guards/older-state.ts";
import { refuse } from "#lib/rewrite/guards/refuse.ts";
import { recordAction, recordUnconfirmed, type Told } from "#lib/rewrite/record/record-action.ts";
import { writtenUnanswered } from "#lib/rewrite/record/unanswered-write.ts";
import { decidePrune } from "./prune-stored-versions.ts";
import { writeUnchanged } from "./write-unchanged.ts";

/**
 * Adds versions to status.storedVersions again: undoes the last prune, or repairs what was removed without proof. The API server allows
 * only versions that are in spec.versions.
 * @throws AppError precondition_failed if that is refused. If the answer is missing, a look at the definition decides.
 */
export async function relistStoredVersions(connection: Connection, crdName: string, versions: string[], signal: AbortSignal): Promise<Crd> {
  const read = await readToWrite(connection, crdName, signal);
  // Once its versions are listed again, nothing shows any more that an unconfirmed prune happened.
  const pruning = readableRecord(read)?.pruning;
  const crd = (pruning && (await decidePrune(connection, read, pruning, signal))?.crd) ?? read;
  const migrations = await readMigrationsOf(connection, crdName, signal);
  const refusal = (now: Crd) => relistRefusal(now, versions, Date.now());
  const refused = refusal({ ...crd, ...migrations });
  if (refused) throw refuse(refused);
  const listed = new Set(crd.storedVersions);
  const added = versions.filter((version) => !listed.has(version));
  const isUndo = undoesPrune(added, lastPrune(crd), missingStoredVersions(fleetOf(connection).crd(crdName) ?? crd, Date.now()));
  const action: Told = {
    ...{ kind: isUndo ? "unpruned" : "repaired", at: new Date().toISOString(), run: null, versions: added },
    message: isUndo ? `Undid the prune of ${added.join(", ")}.` : `Repaired status.storedVersions: added ${added.join(", ")}.`,
  };
  const change = {
    ...{ refusal, listed: (now: Crd) => relistedStoredVersions(now, versions) },
    changed: `The definition changed just before the ${isUndo ? "undo, so nothing was undone" : "repair, so nothing was repaired"}.`,
  };
  const isRestored = (now: Crd) => added.every((version) => now.storedVersions.includes(version));
  signal.throwIfAborted();
  try {
    const restored = await writeUnchanged(connection, crd, change, signal).catch((error: unknown) =>
      writtenUnanswered(connection, crd, error, isRestored),
    );
    recordAction(connection, crdName, action, crd.uid);
    return restored;
  } catch (error) {
    if (isUnconfirmed(error)) recordUnconfirmed(connection, crd, action);
    throw error;
  }
}
