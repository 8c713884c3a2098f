import type { Connection } from "#lib/cluster/connection/connection.ts";
import { writeStoredVersions } from "#lib/cluster/definitions/crds.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet.ts";
import { readMigrationsOf } from "#lib/cluster/migrations/read-migrations-of.ts";
import { whoAmI } from "#lib/cluster/rights/who-am-i.ts";
import { AppError, isAppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { leftoverVersions } from "#lib/domain/definition/stored-versions.ts";
import { pruneSentence } from "#lib/domain/record/history.ts";
import { knownUser } from "#lib/domain/record/known-user.ts";
import { prunedStoredVersions, pruneRefusal } from "#lib/domain/rewrite/refusals.ts";
import { type Prune, type RewriteRecord, readableRecord } from "#lib/domain/rewrite/run.ts";
import { refuse } from "#lib/rewrite/guards/refuse.ts";
import { refuseWhatEtcdDisproves } from "#lib/rewrite/guards/refuse-what-etcd-disproves.ts";
import { recordAction } from "#lib/rewrite/record/record-action.ts";
import { updateRecord } from "#lib/rewrite/record/update-record.ts";

const FORGET_WITHIN_MS = 10_000;

/**
 * Removes the proven leftover versions from status.storedVersions. The definition is read afresh, what is pruned is
 * remembered for the undo, and the status is written under the resourceVersion of that very write: nothing can change in between.
 * Where this cluster's etcd is configured, objects are counted there first. `reason` is why, where the definition is protected.
 * @throws AppError invalid_input for a wrong confirmation, precondition_failed when the proof does not hold, when etcd holds objects
 * against it, or when there is nothing to prune.
 */
export async function pruneStoredVersions(
  connection: Connection,
  crdName: string,
  confirm: string,
  signal: AbortSignal,
  reason: string | null = null,
): Promise<Crd> {
  if (confirm !== crdName) {
    throw new AppError("invalid_input", "The confirmation is not the definition's name.", { nextStep: `Send {"confirm": "${crdName}"}.` });
  }
  await refuseWhatEtcdDisproves(connection, crdName, (crd) => pruneRefusal(crd, Date.now()), signal);
  const migrations = await readMigrationsOf(connection, crdName, signal);
  const by = await whoAmI(connection, signal);
  const prune = { before: null as Prune | null, at: new Date().toISOString() };
  const remembered = await updateRecord(
    connection,
    crdName,
    (crd, record) => {
      const refusal = pruneRefusal({ ...crd, ...migrations }, Date.now());
      if (refusal) throw refuse(refusal);
      prune.before = record.prune;
      const runId = record.proof?.runId ?? null;
      return { ...record, prune: { versions: leftoverVersions(crd), prunedAt: prune.at, by: knownUser(by), runId, reason } };
    },
    signal,
  );
  try {
    const pruned = await writeUnchanged(connection, remembered, prunedStoredVersions(remembered), signal);
    const written = readableRecord(remembered)?.prune;
    const message = pruneSentence(written?.versions ?? []);
    recordAction(connection, crdName, { kind: "pruned", at: prune.at, by, run: written?.runId ?? null, message });
    return pruned;
  } catch (error) {
    await forgetPrune(connection, crdName, prune);
    throw error;
  }
}

// A prune that did not happen must not cost the undo of the one before it. What is thrown is why the prune failed, not this.
async function forgetPrune(connection: Connection, crdName: string, { before, at }: { before: Prune | null; at: string }): Promise<void> {
  const takeBack = (crd: Crd, record: RewriteRecord): RewriteRecord => {
    // The write may have come through though its answer did not; or somebody has pruned since.
    const happened = record.prune?.prunedAt !== at || leftoverVersions(crd).length === 0;
    if (happened) throw new AppError("precondition_failed", "The prune happened after all.");
    return { ...record, prune: before };
  };
  await updateRecord(connection, crdName, takeBack, AbortSignal.timeout(FORGET_WITHIN_MS)).catch(() => {});
}

/** Writes status.storedVersions; a conflict says that the definition changed at the last moment, and nothing is written. */
export async function writeUnchanged(connection: Connection, crd: Crd, storedVersions: string[], signal: AbortSignal): Promise<Crd> {
  try {
    const written = await writeStoredVersions(connection, crd, storedVersions, signal);
    fleetOf(connection).noteCrd(written);
    return written;
  } catch (error) {
    if (!(isAppError(error) && error.code === "conflict")) throw error;
    throw new AppError("precondition_failed", "The definition changed at the last moment, so nothing was written.", {
      nextStep: "Look at what changed, then try again.",
      clusterMessage: error.clusterMessage,
      cause: error,
    });
  }
}
