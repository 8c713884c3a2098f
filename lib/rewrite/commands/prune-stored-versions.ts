import { isDeepStrictEqual } from "node:util";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { noticedRestore, restoredSince } from "#lib/cluster/definitions/evidence/evidence-before-restore.ts";
import { isOurs, signed } from "#lib/cluster/definitions/evidence/evidence-signature.ts";
import { withRememberedCount } from "#lib/cluster/definitions/evidence/remembered-counts.ts";
import { readMigrationsOf } from "#lib/cluster/migrations/list-migrations.ts";
import { whoAmI } from "#lib/cluster/rights/read-rights.ts";
import { requirePatchRight } from "#lib/cluster/rights/require-patch-right.ts";
import { AppError, isAppError } from "#lib/contract/app-error.ts";
import { pruneSentence } from "#lib/domain/audit/history.ts";
import { knownUser } from "#lib/domain/audit/known-user.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { isOlderState } from "#lib/domain/definition/is-older-state.ts";
import { leftoverVersions } from "#lib/domain/definition/stored-versions.ts";
import { lastPrune } from "#lib/domain/record/last-prune.ts";
import { type Proof, type Prune, type RewriteRecord, readableRecord } from "#lib/domain/record/rewrite-record.ts";
import { prunedStoredVersions, pruneRefusal, type Refusal } from "#lib/domain/rewrite/refusals.ts";
import { refuse } from "#lib/rewrite/guards/refuse.ts";
import { refuseWhatEtcdDisproves } from "#lib/rewrite/guards/refuse-what-etcd-disproves.ts";
import { haveChanged, refuseOthersObjects } from "#lib/rewrite/guards/require-own-objects.ts";
import { recordAction } from "#lib/rewrite/record/record-action.ts";
import { lacksAnswer } from "#lib/rewrite/record/unanswered-write.ts";
import { updateRecord } from "#lib/rewrite/record/update-record.ts";
import { restoredMeanwhile, verifyClaim } from "./verify-claim.ts";
import type { Verifying } from "./verify-claimed-objects.ts";
import { writeUnchanged } from "./write-unchanged.ts";

const DECIDE_WITHIN_MS = 10_000;
const DENIED = { message: "You can't patch the definition, where crdshift records the proof." };

/**
 * Removes the proven leftover versions from status.storedVersions. It reads the definition again, records for the undo what it is about to
 * prune, and writes the status with the resourceVersion of that record, so nothing can change in between; then it records that the prune
 * happened, or did not. First it verifies a proof that this installation did not make, and counts the objects in this cluster's etcd if
 * that is configured. `reason` is the reason for changing a protected definition; with `onWait`, a verification waits as long as it has to.
 * `onWrite` is called before anything is pruned.
 * @throws AppError invalid_input for a wrong confirmation; precondition_failed if the proof does not hold, etcd contradicts it, or there
 * is nothing to prune.
 */
export async function pruneStoredVersions(
  connection: Connection,
  crdName: string,
  confirm: string,
  signal: AbortSignal,
  {
    reason = null,
    onWait = null,
    onWrite = () => {},
  }: Partial<Pick<Prune, "reason"> & Pick<Verifying, "onWait"> & { onWrite(): void }> = {},
): Promise<Crd> {
  if (confirm !== crdName) {
    throw new AppError("invalid_input", "The confirmation doesn't match the definition's name.", {
      nextStep: `Send {"confirm": "${crdName}"}.`,
    });
  }
  const { crd: read, uncounted } = await refuseWhatEtcdDisproves(connection, crdName, (crd) => pruneRefusal(crd, Date.now()), signal);
  await refuseOthersObjects(connection, read, signal);
  const by = await whoAmI(connection, signal);
  const begun = await begin(connection, crdName, { by: knownUser(by), reason, uncounted }, { signal, onWait });
  const pruning = readableRecord(begun)?.pruning;
  if (!pruning) throw new Error(`The API server did not keep the annotation of ${crdName}.`);
  const { versions, prunedAt: at, runId: run } = pruning;
  onWrite();
  const tell = (gone: readonly string[]) => {
    const action = { kind: "pruned", at, by, run, versions: [...gone], message: pruneSentence(gone) } as const;
    recordAction(connection, crdName, action, begun.uid);
  };
  try {
    const changed = "The definition changed just before the prune, so nothing was pruned.";
    const refusal = (crd: Crd) => pruneRefusal(withRememberedCount(connection, crd), Date.now());
    const pruned = await writeUnchanged(connection, begun, { listed: prunedStoredVersions, refusal, changed }, signal);
    tell(versions);
    return (await decidePrune(connection, begun, pruning))?.crd ?? pruned;
  } catch (error) {
    const decided = await decidePrune(connection, begun, pruning);
    // Of one that was refused for certain, somebody else has taken a part.
    const isOwn = decided !== null && decided.gone.length > (lacksAnswer(error) ? 0 : versions.length - 1);
    if (!isOwn) throw notPruned(error, decided !== null || !lacksAnswer(error), versions);
    tell(decided.gone);
    return decided.crd;
  }
}

/** The error of the write, with what is known of its effect. One that already says that nothing was written stays as it is. */
function notPruned(error: unknown, isDecided: boolean, versions: readonly string[]): unknown {
  if (!isAppError(error) || error.code === "precondition_failed") return error;
  const { code, message, clusterMessage, details } = error;
  const more = { clusterMessage, ...(details && { details }), cause: error };
  if (isDecided) return new AppError(code, `${message} Nothing was pruned.`, { nextStep: error.nextStep, ...more });
  const unknown = `crdshift couldn't find out whether ${versions.join(", ")} ${versions.length === 1 ? "was" : "were"} pruned.`;
  const nextStep = [error.nextStep, "Look at status.storedVersions before you prune again."].filter(Boolean).join(" ");
  return new AppError(code, `${message} ${unknown}`, { nextStep, ...more, details: { ...details, unconfirmed: true } });
}

/**
 * Records what is about to be pruned, once nothing refuses it, nor has refused it before anything was counted. A claimed proof is verified
 * first. Returns the definition as written.
 */
async function begin(
  connection: Connection,
  crdName: string,
  { by, reason, uncounted }: Pick<Prune, "by" | "reason"> & { uncounted: Refusal | null },
  { signal, onWait }: Verifying,
): Promise<Crd> {
  let claim: Proof | null = null;
  const lastRestore = noticedRestore(connection);
  const write = async (verified: { of: Crd; claim: Proof; proof: Proof } | null) => {
    const migrations = await readMigrationsOf(connection, crdName, signal);
    const change = (crd: Crd, record: RewriteRecord): RewriteRecord => {
      if (verified && (restoredSince(connection, lastRestore) || isOlderState(crd, verified.of))) throw restoredMeanwhile();
      const refusal = pruneRefusal({ ...withRememberedCount(connection, crd), ...migrations }, Date.now()) ?? uncounted;
      if (refusal) throw refuse(refusal);
      claim = record.proof && !isOurs(connection, record.proof) && !isDeepStrictEqual(record.proof, verified?.claim) ? record.proof : null;
      if (claim) return record;
      const runId = record.proof?.runId ?? null;
      // Never the claim itself: its numbers and its accepted losses may be anyone's.
      const proof = verified && !isOurs(connection, record.proof) ? signed(verified.proof) : record.proof;
      const prunedAt = new Date().toISOString();
      return { ...record, proof, pruning: { versions: [...leftoverVersions(crd)], prunedAt, by, runId, reason } };
    };
    return { crd: await updateRecord(connection, crdName, change, signal), claim };
  };
  const first = await write(null);
  if (!first.claim) return first.crd;
  // Nothing is written yet, and a definition's claim is verified for one person at a time.
  await requirePatchRight(connection, crdName, DENIED, signal);
  const before = await refuseOthersObjects(connection, first.crd, signal);
  const proof = await verifyClaim(connection, first.crd, first.claim, { signal, onWait });
  if (haveChanged(before, await refuseOthersObjects(connection, first.crd, signal))) throw answeredElsewhere();
  const second = await write({ of: first.crd, claim: first.claim, proof });
  if (second.claim) throw replaced();
  return second.crd;
}

function answeredElsewhere(): AppError {
  return new AppError("precondition_failed", "An APIService of the definition changed while crdshift verified the proof.", {
    nextStep: "Prune again.",
  });
}

function replaced(): AppError {
  return new AppError("precondition_failed", "The proof was replaced while crdshift verified it.", { nextStep: "Prune again." });
}

/**
 * Decides whether an unconfirmed prune happened, by what the definition lists now, and records that: the write may have succeeded without
 * its answer arriving. Writes nothing if something else has been recorded, or to another definition of that name. Null if it can't be
 * decided: the prune isn't seen, and as long as nothing else is recorded, it may still happen. `gone` are the versions that it has pruned;
 * others may be listed again.
 */
export async function decidePrune(
  connection: Connection,
  { name, uid }: Pick<Crd, "name" | "uid">,
  pruning: Prune,
  signal?: AbortSignal,
): Promise<{ crd: Crd; gone: readonly string[] } | null> {
  const within = AbortSignal.any([AbortSignal.timeout(DECIDE_WITHIN_MS), ...(signal ? [signal] : [])]);
  const read = { crd: null as Crd | null };
  const decide = (crd: Crd, record: RewriteRecord): RewriteRecord => {
    read.crd = crd;
    const isUndecided = crd.uid === uid && isDeepStrictEqual(readableRecord(crd)?.pruning, pruning);
    // updateRecord has decided it in what it passes, and writes only another object.
    return isUndecided ? { ...record } : record;
  };
  const recorded = await updateRecord(connection, name, decide, within).catch(() => null);
  const crd = recorded ?? read.crd;
  const last = crd && lastPrune(crd);
  const gone = last?.prunedAt === pruning.prunedAt && last.runId === pruning.runId ? last.versions : [];
  return crd && (recorded || gone.length > 0) ? { crd, gone } : null;
}
