import { setMaxListeners } from "node:events";
import { setTimeout } from "node:timers/promises";
import { withOwnEvidence } from "#lib/cluster/definitions/evidence/evidence-signature.ts";
import type { Proof, RewriteRecord, SettlePoint } from "#lib/domain/record/rewrite-record.ts";
import { recordedSettlePoint, validSettlePoint } from "#lib/domain/record/valid-evidence.ts";
import { crdIdentity } from "#lib/domain/rewrite/identity.ts";
import { mayHaveMigration, type Run, withCaveats, withReason } from "#lib/domain/rewrite/run.ts";
import { withSent } from "#lib/domain/rewrite/sent-patches.ts";
import { isShuttingDown } from "#lib/process-wide/shutdown.ts";
import { delegateRewrite } from "#lib/rewrite/delegation/delegate-rewrite.ts";
import { leaveNow } from "#lib/rewrite/delegation/leave-now.ts";
import { putBackAfterEngine } from "#lib/rewrite/delegation/put-back-after-engine.ts";
import { putBackAfterRefusal } from "#lib/rewrite/delegation/put-back-after-refusal.ts";
import { checkLosses, requireNoMutatingAdmission } from "#lib/rewrite/guards/check-losses.ts";
import { exposureSentence } from "#lib/rewrite/guards/exposure-sentence.ts";
import { noGuard } from "#lib/rewrite/guards/loss-guard.ts";
import { requireOwnObjects, requireStillOwn } from "#lib/rewrite/guards/require-own-objects.ts";
import { createGate } from "#lib/rewrite/pacing/outage-gate.ts";
import { throughGate } from "#lib/rewrite/pacing/through-gate.ts";
import { finishRun } from "#lib/rewrite/record/finish-run.ts";
import { type HeldRun, letGo, showRun, withRun } from "#lib/rewrite/record/held-run.ts";
import { keepRenewing } from "#lib/rewrite/record/keep-renewing.ts";
import { expectRecord } from "#lib/rewrite/record/own-record.ts";
import { isGone, stopOf } from "#lib/rewrite/record/stop-of.ts";
import { stopWhenChanged } from "#lib/rewrite/record/stop-when-changed.ts";
import { tellLost } from "#lib/rewrite/record/tell-lost.ts";
import { updateHeld } from "#lib/rewrite/record/update-held.ts";
import { writtenRun } from "#lib/rewrite/record/update-record.ts";
import { leftEntries, ownEntries } from "#lib/rewrite/run/object/ownership/left-entries.ts";
import { type Progress, snapshot } from "#lib/rewrite/run/progress/progress.ts";
import { createTally } from "#lib/rewrite/run/progress/tally.ts";
import { settleRun } from "#lib/rewrite/run/settle/settle-run.ts";
import { unconfirmedSentence } from "./confirm-definition.ts";
import { rewriteUntilProven } from "./rewrite-until-proven.ts";
import { isStopRun, StopRun } from "./stop-run.ts";
import { unconfirmedWrites } from "./unconfirmed-writes.ts";
import { doubtOnceUnexpected, withdrawIfStored, withdrawUnanswered } from "./withdraw-evidence.ts";

const PUBLISH_EVERY_MS = 500;
const PUT_BACK_WITHIN_MS = 5_000;
/** With what the end of a run takes besides, less than the 15 s within which a process that is told to stop exits. */
const PUT_BACK_SOONER_MS = 2_000;
const WITHDRAWN_WITHIN_MS = 10_000;

/**
 * Runs the whole rewrite: settle, rewrite, verify, prove. Its last step writes the result into the annotation; if even that fails, the
 * record goes silent. Others see the run as interrupted after 45 s.
 */
export async function runRewrite(heldRun: HeldRun, stopSignal: AbortSignal): Promise<void> {
  const identity = crdIdentity(heldRun.crd);
  if (!identity) return;
  const watchdog = new AbortController();
  const signal = AbortSignal.any([stopSignal, watchdog.signal]);
  setMaxListeners(0, signal);
  const gate = createGate(heldRun.control.pacer.pausedMs);
  const tally = createTally(heldRun.run);
  const { run: begun } = heldRun;
  const migrating = { mayHaveMigration: mayHaveMigration(begun, begun.delegation?.phase ?? null) };
  const state: Progress["state"] = { run: begun, guard: noGuard, checkAbove: null, expected: null, ...migrating };
  const onPatch: Progress["onPatch"] = (purpose, isTested = false) => {
    const { sent } = state.run;
    if (sent) state.run = { ...state.run, sent: withSent(sent, purpose, isTested) };
  };
  const noted = { writes: unconfirmedWrites(), ownEntries: ownEntries(), leftEntries: leftEntries() };
  const progress: Progress = { heldRun, identity, gate, tally, ...noted, unanswered: [], withdrawals: [], signal, state, onPatch };
  const current = () => snapshot(progress);
  heldRun.control.current = current;
  heldRun.control.expectRecord = () => expectRecord(heldRun);
  // Publishing after the end would contradict the written record.
  heldRun.control.publish = () => (heldRun.control.ending ? current() : publish(heldRun, current()));
  heldRun.control.noteReason = (reason) => {
    state.run = { ...state.run, reasons: withReason(state.run.reasons, reason) };
  };

  // If it dies, whoever resumes it relies on what the record has.
  const dryRunHeld = () => (state.guard.admission?.changedUnseen() ?? null) === null;
  const stopWatching = stopWhenChanged(heldRun, identity, watchdog);
  const stopDoubting = doubtOnceUnexpected(progress);
  const publishing = setInterval(heldRun.control.publish, PUBLISH_EVERY_MS);
  // A successful renewal ends the hold, so don't record the hold's cause: it would stay until the next renewal.
  const renewed = (record: RewriteRecord) =>
    withRun(dryRunHeld() ? record : { ...record, dryRun: null }, snapshot(progress, gate.outage()));
  const renewing = keepRenewing(heldRun, identity, gate, renewed, signal).catch((error: unknown) => watchdog.abort(error));
  const end = await endOf(progress);
  heldRun.control.ending = true;
  clearInterval(publishing);
  stopWatching();
  stopDoubting();
  watchdog.abort(new StopRun("cancelled", "ended"));
  await renewing;
  const stoppedAt = Date.now();
  if (end.phase === "elsewhere" || end.phase === "lost") {
    if (end.phase === "lost") await tellLostWith(progress, end.lost, []);
    letGo(heldRun);
    withdrawIfStored(progress);
    return untilWithdrawn(progress, stoppedAt);
  }
  const { proof, ...how } = end;
  const unconfirmed = progress.writes.objects();
  const ended = { command: null, ratePerSecond: null, etaSeconds: null, retryAt: null, endedAt: new Date().toISOString() };
  const provenObjects = proof?.objects ?? null;
  const { caveats, entries } = warningsOf(progress);
  const statusReason = [how.statusReason, ...caveats, ...entries].filter(Boolean).join(" ") || null;
  const run: Run = { ...current(), ...how, statusReason, caveats, provenObjects, ...ended };
  const onDelay = (statusReason: string) => void publish(heldRun, { ...current(), command: null, statusReason });
  const { unanswered } = progress;
  const ending = { run, entries, proof, unconfirmed, unanswered, dryRunHeld: dryRunHeld() };
  const written = await finishRun(heldRun, identity, ending, { stop: stopSignal, onDelay }).catch(async (error: unknown) => {
    if (isStopRun(error) && error.phase === "lost") await tellLostWith(progress, error, [how.statusReason]);
    if (isStopRun(error)) withdrawIfStored(progress);
    else withdrawUnanswered(progress);
    // Whoever waits for a stopped run has waited for its end, too.
    await untilWithdrawn(progress, stopSignal.aborted ? stoppedAt : Date.now());
    throw error;
  });
  if (proof && run.delegation && writtenRun(written).phase === "failed") await putBackAfterRefusal(heldRun.connection, written);
}

/** What the end of a run says beside its reason. */
function warningsOf({ state, ownEntries, leftEntries }: Progress): { caveats: string[]; entries: string[] } {
  const caveats = withCaveats(state.run.caveats, [exposureSentence(state.guard.admission, state.run.delegation)]);
  return { caveats, entries: [ownEntries.sentence(), leftEntries.sentence()].filter((sentence) => sentence !== null) };
}

/** Tells that its record is lost with what the record would have said: nothing else will. */
async function tellLostWith(progress: Progress, lost: StopRun, reasons: readonly (string | null)[]): Promise<void> {
  const { heldRun, writes, signal } = progress;
  const { connection, crd, run } = heldRun;
  const { caveats, entries } = warningsOf(progress);
  const unconfirmed = isGone(lost) ? null : await unconfirmedSentence({ connection, crd, writes, runId: run.id, signal });
  // An Event's message is cut at its end.
  tellLost(heldRun, lost.message, [...reasons, unconfirmed, ...caveats, ...entries]);
}

/**
 * For a run whose end this process hasn't recorded, which would tell it as well: waits until what was found is on record, but no more than
 * ten seconds from `since`. The process may end soon, and nobody else knows it.
 */
async function untilWithdrawn({ withdrawals }: Progress, since: number): Promise<void> {
  const all = async () => {
    // A look at an object, which is one of them, may begin another.
    for (let waited = 0; waited < withdrawals.length; ) {
      waited = withdrawals.length;
      await Promise.all(withdrawals);
    }
  };
  await Promise.race([all(), setTimeout(Math.max(0, since + WITHDRAWN_WITHIN_MS - Date.now()), null, { ref: false })]);
}

type End =
  | { phase: "elsewhere"; message: string }
  | { phase: "lost"; lost: StopRun }
  | (Pick<Run, "phase" | "statusReason" | "heldBackBecause"> & { proof: Proof | null });

/** Does the work and returns how it ended. Repairs versions that the cluster's own engine removed from storedVersions without proof. */
async function endOf(progress: Progress): Promise<End> {
  const end = await work(progress);
  const { delegation } = progress.state.run;
  // An interrupted run repairs the list when it is resumed; a shutdown leaves no time for it now.
  if (
    end.phase === "elsewhere" ||
    end.phase === "lost" ||
    end.phase === "interrupted" ||
    end.proof ||
    !delegation ||
    delegation.phase === null
  )
    return end;
  try {
    await putBackAfterEngine(progress, () => true, AbortSignal.timeout(isShuttingDown() ? PUT_BACK_SOONER_MS : PUT_BACK_WITHIN_MS));
    return end;
  } catch (error) {
    const { message } = stopOf(error);
    const notRepaired = `status.storedVersions may lack versions that are still stored, and crdshift couldn't check it: ${message}`;
    return { ...end, statusReason: [end.statusReason, notRepaired].filter(Boolean).join(" ") };
  }
}

async function work(progress: Progress): Promise<End> {
  try {
    const { delegation } = progress.state.run;
    const { connection, crd } = progress.heldRun;
    const recorded = recordedSettlePoint(crd);
    // Each time anew: it may be withdrawn meanwhile.
    const trusted = () => validSettlePoint(withOwnEvidence(connection, crd));
    let own = await requireOwnObjects(progress, { settled: trusted() !== null });
    // The cluster's own engine checks no object, so a dry run from before the settle wait wouldn't be enough.
    if (delegation) await requireNoMutatingAdmission(progress);
    const checked = delegation ? "again" : await checkLosses(progress, { settled: trusted() !== null });
    const settlePoint = trusted() ?? (await settleRun(progress));
    // The API server has made it since.
    if (own === "missing") own = await requireOwnObjects(progress, { settled: true });
    if (checked === "again") await checkLosses(progress, { settled: true });
    progress.state.checkAbove = settlePoint.resourceVersion;
    await beginRewriting(progress, settlePoint);
    if (delegation) await delegateRewrite(progress);
    const proven = await rewriteUntilProven(progress, settlePoint, recorded ?? settlePoint);
    if (!proven) return { phase: "unproven", statusReason: null, heldBackBecause: null, proof: null };
    await requireStillOwn(progress, own);
    return { phase: "succeeded", heldBackBecause: null, ...proven };
  } catch (error) {
    const stop = stopOf(progress.signal.aborted ? progress.signal.reason : error);
    const { phase, message } = stop;
    // Whoever goes on with the run does so with the same migration.
    if (phase !== "elsewhere" && phase !== "interrupted") await leaveNow(progress);
    if (phase === "elsewhere") return { phase, message };
    await progress.state.guard.admission?.lastLook();
    if (phase === "lost") return { phase, lost: stop };
    return { phase, statusReason: message, heldBackBecause: phase === "unproven" ? message : null, proof: null };
  }
}

/** Records it, too: of a run that is killed before its first renewal, nothing else would say that it wrote anything (unknown-writes.ts). */
async function beginRewriting(progress: Progress, { resourceVersion }: SettlePoint): Promise<void> {
  const { heldRun, identity, gate, signal, state } = progress;
  state.run = {
    ...state.run,
    phase: "rewriting",
    statusReason: null,
    settlesAt: null,
    settledAt: new Date().toISOString(),
    settleResourceVersion: resourceVersion,
  };
  // If this is written, no outage goes on.
  const begun = (record: RewriteRecord) => withRun(record, snapshot(progress, null));
  await throughGate(gate, signal, () => updateHeld(heldRun, identity, begun, signal));
}

function publish(heldRun: HeldRun, run: Run): Run {
  showRun(heldRun, run);
  return run;
}
