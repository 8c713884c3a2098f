import { isDeepStrictEqual } from "node:util";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { writeStoredVersions } from "#lib/cluster/definitions/crds.ts";
import { isOurs, signed } from "#lib/cluster/definitions/evidence/evidence-signature.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet.ts";
import { readMigrationsOf } from "#lib/cluster/migrations/list-migrations.ts";
import { whoAmI } from "#lib/cluster/rights/read-rights.ts";
import { AppError, isAppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { leftoverVersions } from "#lib/domain/definition/stored-versions.ts";
import { pruneSentence } from "#lib/domain/record/history.ts";
import { knownUser } from "#lib/domain/record/known-user.ts";
import { prunedStoredVersions, pruneRefusal } from "#lib/domain/rewrite/refusals.ts";
import type { Proof, Prune, RewriteRecord } from "#lib/domain/rewrite/rewrite-record.ts";
import { readableRecord } from "#lib/domain/rewrite/valid-proof.ts";
import { refuse } from "#lib/rewrite/guards/refuse.ts";
import { refuseWhatEtcdDisproves } from "#lib/rewrite/guards/refuse-what-etcd-disproves.ts";
import { recordAction } from "#lib/rewrite/record/record-action.ts";
import { updateRecord } from "#lib/rewrite/record/update-record.ts";
import { verifyClaim } from "./verify-claim.ts";

const DECIDE_WITHIN_MS = 10_000;
/**
 * Removes the proven leftover versions from status.storedVersions. It reads the definition again, records for the undo what it is about to
 * prune, and writes the status with the resourceVersion of that record, so nothing can change in between; then it records that the prune
 * happened, or did not. First it verifies a proof that
 * this installation did not make, and counts the objects in this cluster's etcd if that is configured. `reason` is the reason for changing a protected definition.
 * @throws AppError invalid_input for a wrong confirmation; precondition_failed if the proof does not hold, etcd contradicts it, or there
 * is nothing to prune.
 */
export async function pruneStoredVersions(
  connection: Connection,
  crdName: string,
  confirm: string,
  signal: AbortSignal,
  reason: string | null = null,
): Promise<Crd> {
  if (confirm !== crdName) {
    throw new AppError("invalid_input", "The confirmation doesn't match the definition's name.", {
      nextStep: `Send {"confirm": "${crdName}"}.`,
    });
  }
  await refuseWhatEtcdDisproves(connection, crdName, (crd) => pruneRefusal(crd, Date.now()), signal);
  const by = await whoAmI(connection, signal);
  const begun = await begin(connection, crdName, { by: knownUser(by), reason }, signal);
  const pruning = readableRecord(begun)?.pruning;
  if (!pruning) throw new Error(`The API server did not keep the annotation of ${crdName}.`);
  const pruned = await writeUnchanged(connection, begun, prunedStoredVersions(begun), signal).catch(async (error: unknown) => {
    await decidePrune(connection, crdName);
    throw error;
  });
  const { versions, prunedAt: at, runId: run } = pruning;
  recordAction(connection, crdName, { kind: "pruned", at, by, run, versions, message: pruneSentence(versions) });
  return (await decidePrune(connection, crdName)) ?? pruned;
}

/** Records what is about to be pruned, once nothing refuses it. A claimed proof is verified first. Returns the definition as written. */
async function begin(
  connection: Connection,
  crdName: string,
  { by, reason }: Pick<Prune, "by" | "reason">,
  signal: AbortSignal,
): Promise<Crd> {
  let claim: Proof | null = null;
  const write = async (verified: { claim: Proof; proof: Proof } | null) => {
    const migrations = await readMigrationsOf(connection, crdName, signal);
    const change = (crd: Crd, record: RewriteRecord): RewriteRecord => {
      const refusal = pruneRefusal({ ...crd, ...migrations }, Date.now());
      if (refusal) throw refuse(refusal);
      claim = record.proof && !isOurs(connection, record.proof) && !isDeepStrictEqual(record.proof, verified?.claim) ? record.proof : null;
      if (claim) return record;
      const runId = record.proof?.runId ?? null;
      // Never the claim itself: its numbers and its accepted losses may be anyone's.
      const proof = verified && !isOurs(connection, record.proof) ? signed(verified.proof) : record.proof;
      const prunedAt = new Date().toISOString();
      return { ...record, proof, pruning: { versions: leftoverVersions(crd), prunedAt, by, runId, reason } };
    };
    return { crd: await updateRecord(connection, crdName, change, signal), claim };
  };
  const first = await write(null);
  if (!first.claim) return first.crd;
  const proof = await verifyClaim(connection, first.crd, first.claim, signal);
  const second = await write({ claim: first.claim, proof });
  if (second.claim) throw replaced();
  return second.crd;
}

function replaced(): AppError {
  return new AppError("precondition_failed", "The proof was replaced while crdshift verified it.", { nextStep: "Prune again." });
}

/**
 * Records whether an unconfirmed prune happened, by what the definition lists now: the write may have succeeded without its answer
 * arriving. Null if that fails; until something else is recorded, the list itself tells.
 */
export function decidePrune(connection: Connection, crdName: string, signal?: AbortSignal): Promise<Crd | null> {
  const within = AbortSignal.any([AbortSignal.timeout(DECIDE_WITHIN_MS), ...(signal ? [signal] : [])]);
  // Every write of the record decides it.
  return updateRecord(connection, crdName, (_crd, record) => ({ ...record }), within).catch(() => null);
}

/** Writes status.storedVersions. Throws AppError precondition_failed, with nothing written, if the definition has changed. */
export async function writeUnchanged(connection: Connection, crd: Crd, storedVersions: string[], signal: AbortSignal): Promise<Crd> {
  try {
    const written = await writeStoredVersions(connection, crd, storedVersions, signal);
    fleetOf(connection).noteCrd(written);
    return written;
  } catch (error) {
    if (!(isAppError(error) && error.code === "conflict")) throw error;
    throw new AppError("precondition_failed", "The definition changed at the last moment, so nothing was written.", {
      nextStep: "Look at what changed, then retry.",
      clusterMessage: error.clusterMessage,
      cause: error,
    });
  }
}
