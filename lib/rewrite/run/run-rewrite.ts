import { setMaxListeners } from "node:events";
import { isOurs, signed } from "#lib/cluster/definitions/evidence/evidence-signature.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import type { Proof, RewriteRecord, SettlePoint } from "#lib/domain/record/rewrite-record.ts";
import { recordedSettlePoint } from "#lib/domain/record/valid-evidence.ts";
import { type CrdIdentity, crdIdentity } from "#lib/domain/rewrite/identity.ts";
import { type ObjectName, type Run, withCaveats, withReason } from "#lib/domain/rewrite/run.ts";
import { formatCountOf } from "#lib/domain/wording/format-count.ts";
import { fullName } from "#lib/domain/wording/full-name.ts";
import { delegateRewrite, leaveUnwatched, putBackAfterEngine } from "#lib/rewrite/delegation/delegate-rewrite.ts";
import { checkLosses, requireNoMutatingAdmission } from "#lib/rewrite/guards/check-losses.ts";
import { exposureSentence } from "#lib/rewrite/guards/exposure-sentence.ts";
import { noGuard } from "#lib/rewrite/guards/loss-guard.ts";
import { requireOwnObjects, requireStillOwn } from "#lib/rewrite/guards/require-own-objects.ts";
import { createGate } from "#lib/rewrite/pacing/outage-gate.ts";
import { throughGate } from "#lib/rewrite/pacing/through-gate.ts";
import { finishRun } from "#lib/rewrite/record/finish-run.ts";
import { type HeldRun, keepRenewing, letGo, stopOf, stopWhenChanged, tellLost, updateHeld, withRun } from "#lib/rewrite/record/hold-run.ts";
import { leftEntries, ownEntries } from "#lib/rewrite/run/object/left-entries.ts";
import { KEPT_CHANGING } from "#lib/rewrite/run/object/rewrite-object.ts";
import { type Progress, snapshot } from "#lib/rewrite/run/progress/progress.ts";
import { createTally, type Tally } from "#lib/rewrite/run/progress/tally.ts";
import { settle } from "#lib/rewrite/run/settle/settle.ts";
import { changesAgain } from "./changes-again.ts";
import { type Confirming, whileConfirmed } from "./confirm-definition.ts";
import { type PassResult, rewriteObjects } from "./rewrite-objects.ts";
import { isStopRun, StopRun } from "./stop-run.ts";
import { type UnconfirmedWrites, unconfirmedWrites } from "./unconfirmed-writes.ts";
import { doubtOnceUnexpected, withdrawingEvidence } from "./withdraw-evidence.ts";

const PUBLISH_EVERY_MS = 500;
const MAX_PASSES = 6;
const PUT_BACK_WITHIN_MS = 5_000;

/**
 * Runs the whole rewrite: settle, rewrite, verify, prove. Its last step writes the result into the annotation; if even that fails, the
 * record goes silent and the run shows as interrupted after 45 s.
 */
export async function runRewrite(heldRun: HeldRun, stopSignal: AbortSignal): Promise<void> {
  const identity = crdIdentity(heldRun.crd);
  if (!identity) return;
  const watchdog = new AbortController();
  const signal = AbortSignal.any([stopSignal, watchdog.signal]);
  setMaxListeners(0, signal);
  const gate = createGate(heldRun.control.pacer.pausedMs);
  const tally = createTally(heldRun.run);
  const state: Progress["state"] = { run: heldRun.run, guard: noGuard, checkAbove: null, expected: null };
  const onPatch: Progress["onPatch"] = (purpose) => {
    const { sent } = state.run;
    if (sent) state.run = { ...state.run, sent: { ...sent, [purpose]: sent[purpose] + 1 } };
  };
  const noted = { writes: unconfirmedWrites(), ownEntries: ownEntries(), leftEntries: leftEntries() };
  const progress: Progress = { heldRun, identity, gate, tally, ...noted, signal, state, onPatch };
  const current = () => snapshot(progress);
  heldRun.control.current = current;
  // Publishing after the end would contradict the written record.
  heldRun.control.publish = () => (heldRun.control.ending ? current() : publish(heldRun, current()));
  heldRun.control.noteReason = (reason) => {
    state.run = { ...state.run, reasons: withReason(state.run.reasons, reason) };
  };

  const stopWatching = stopWhenChanged(heldRun, identity, watchdog);
  const stopDoubting = doubtOnceUnexpected(progress);
  const publishing = setInterval(heldRun.control.publish, PUBLISH_EVERY_MS);
  // A successful renewal ends the hold, so don't record the hold's cause: it would stay until the next renewal.
  const renewed = () => snapshot(progress, gate.outage());
  const renewing = keepRenewing(heldRun, identity, gate, renewed, signal).catch((error: unknown) => watchdog.abort(error));
  const end = await endOf(progress);
  heldRun.control.ending = true;
  clearInterval(publishing);
  stopWatching();
  stopDoubting();
  watchdog.abort(new StopRun("cancelled", "ended"));
  await renewing;
  if (end.phase === "lost") tellLost(heldRun, end.message);
  if (end.phase === "elsewhere" || end.phase === "lost") return letGo(heldRun);
  const { proof, ...how } = end;
  const unconfirmed = progress.writes.objects();
  const ended = { command: null, ratePerSecond: null, etaSeconds: null, retryAt: null, endedAt: new Date().toISOString() };
  const provenObjects = proof?.objects ?? null;
  const exposed = exposureSentence(state.guard.admission, state.run.delegation);
  const dryRunHeld = (state.guard.admission?.changedUnseen() ?? null) === null;
  const caveats = withCaveats(state.run.caveats, [exposed]);
  // Not caveats: a run that is resumed takes own entries back, and finds left ones again.
  const entries = [progress.ownEntries.sentence(), progress.leftEntries.sentence()];
  const statusReason = [how.statusReason, ...caveats, ...entries].filter(Boolean).join(" ") || null;
  const run: Run = { ...current(), ...how, statusReason, caveats, provenObjects, ...ended };
  const onDelay = (statusReason: string) => void publish(heldRun, { ...current(), command: null, statusReason });
  await finishRun(heldRun, identity, { run, proof, unconfirmed, dryRunHeld }, { stop: stopSignal, onDelay }).catch((error: unknown) => {
    if (isStopRun(error) && error.phase === "lost") tellLost(heldRun, error.message);
    throw error;
  });
}

type End =
  | { phase: "elsewhere"; message: string }
  | { phase: "lost"; message: string }
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
    await putBackAfterEngine(progress, () => true, AbortSignal.timeout(PUT_BACK_WITHIN_MS));
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
    const recorded = recordedSettlePoint(progress.heldRun.crd);
    // Each time anew: it may be withdrawn meanwhile.
    const trusted = () => (recorded && isOurs(progress.heldRun.connection, recorded) ? recorded : null);
    let own = await requireOwnObjects(progress, { settled: trusted() !== null });
    // The cluster's own engine checks no object, so a dry run from before the settle wait wouldn't be enough.
    if (delegation) await requireNoMutatingAdmission(progress);
    const checked = delegation ? "again" : await checkLosses(progress, { settled: trusted() !== null });
    const settlePoint = trusted() ?? (await settleFirst(progress));
    // The API server has made it since.
    if (own === "missing") own = await requireOwnObjects(progress, { settled: true });
    if (checked === "again") await checkLosses(progress, { settled: true });
    progress.state.checkAbove = settlePoint.resourceVersion;
    await beginRewriting(progress, settlePoint);
    if (delegation) await delegateRewrite(progress);
    // A settle point that anyone may have written saves requests in the first pass, and is trusted in none that proves.
    const proven = await rewriteUntilProven(progress, settlePoint, recorded ?? settlePoint);
    if (!proven) return { phase: "unproven", statusReason: null, heldBackBecause: null, proof: null };
    await requireStillOwn(progress, own);
    return { phase: "succeeded", statusReason: slowDeletionWarning(proven.marked), heldBackBecause: null, proof: proven.proof };
  } catch (error) {
    const { phase, message } = stopOf(progress.signal.aborted ? progress.signal.reason : error);
    // Whoever goes on with the run does so with the same migration.
    if (phase !== "elsewhere" && phase !== "interrupted") await leaveUnwatched(progress);
    if (phase === "elsewhere" || phase === "lost") return { phase, message };
    await progress.state.guard.admission?.lastLook();
    return { phase, statusReason: message, heldBackBecause: phase === "unproven" ? message : null, proof: null };
  }
}

async function settleFirst({ heldRun, identity, gate, signal, state }: Progress): Promise<SettlePoint> {
  const { connection, crd } = heldRun;
  const settlePoint = await settle({
    connection,
    crdName: crd.name,
    identity,
    settleSeconds: heldRun.settleSeconds,
    gate,
    signal,
    onWait(because, until) {
      state.run = { ...state.run, statusReason: because, settlesAt: until === null ? null : new Date(until).toISOString() };
    },
  });
  // Written at once, because it stays valid for this run, a resumed run and the next run.
  const write = () => updateHeld(heldRun, identity, (record) => ({ ...record, settlePoint }), signal);
  await throughGate(gate, signal, write);
  return settlePoint;
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

/** Repeats passes until one changes nothing; that pass is the verification. Null if objects were rejected. */
async function rewriteUntilProven(
  progress: Progress,
  taken: SettlePoint,
  claimed: SettlePoint,
): Promise<{ proof: Proof; marked: number } | null> {
  const { heldRun, identity, state } = progress;
  const everyObject = heldRun.run.verify === "every-object";
  // After another engine's rewrite, the first pass already verifies, and rewrites what that engine left.
  if (state.run.delegation?.phase === "succeeded") state.run = { ...state.run, phase: "verifying" };

  let settlePoint = taken;
  let result = await pass(progress, settlePoint, claimed.resourceVersion, progress.tally);
  let { marked } = result;
  for (let passes = 1; result.rejected === 0; passes += 1) {
    if (result.busy) throw new StopRun("failed", keptChanging(result.busy));
    const sawEnough = passes > 1 || (result.patched === 0 && !everyObject && claimed === taken);
    if (sawEnough && result.rewritten === 0 && result.disproving === 0)
      return { proof: proofOf(heldRun, identity, settlePoint, result), marked };
    if (result.changed && (await changesAgain(progress, result.changed))) throw new StopRun("failed", changedByAdmission(result.changed));
    if (passes >= MAX_PASSES)
      throw new StopRun("failed", "Objects keep changing when they are patched, or their writes get no answer; nothing is proven.");
    // Whatever stored an object at an older version after the settle point may not be done.
    if (result.disproving > 0) {
      state.run = { ...state.run, phase: "settling" };
      settlePoint = await settleFirst(progress);
    }
    beginVerifying(progress, settlePoint);
    const tally = createTally();
    let hasEnded = false;
    try {
      result = await pass(progress, settlePoint, everyObject ? null : settlePoint.resourceVersion, tally);
      hasEnded = true;
    } finally {
      // What it found by then is true, however it ends.
      progress.tally.amend(tally, hasEnded);
    }
    // Not of the last pass only: it may be below a newer settle point, and the deletion still at work.
    marked = Math.max(marked, result.marked);
  }
  return null;
}

function keptChanging(object: ObjectName): string {
  return `${fullName(object)} ${KEPT_CHANGING}; nothing is proven. Verify every object again when it is less busy.`;
}

function changedByAdmission(object: ObjectName): string {
  return (
    `A mutating webhook or policy changes objects with every update, such as ${fullName(object)}, so crdshift can't tell which of them were stored ` +
    "at an older version; nothing is proven. Exempt crdshift's user from it, or turn it off, then rewrite again."
  );
}

// Other requests end within a minute: https://kubernetes.io/docs/reference/command-line-tools-reference/kube-apiserver/
// (--request-timeout).
function slowDeletionWarning(marked: number): string | null {
  if (marked === 0) return null;
  return (
    `The deletion of ${formatCountOf(marked, "object")} held by finalizers may have begun after the settle point. If your API servers run with ` +
    "a --request-timeout above 60 s, a slow deletion of many objects may still store some at an older version: rewrite again once it has ended."
  );
}

function beginVerifying({ state }: Progress, { resourceVersion }: SettlePoint): void {
  state.run = { ...state.run, phase: "verifying", statusReason: null, settlesAt: null, settleResourceVersion: resourceVersion };
}

async function pass(progress: Progress, settlePoint: SettlePoint, skipAbove: string | null, tally: Tally): Promise<PassResult> {
  const { heldRun, identity, gate, writes, ownEntries, leftEntries, state, onPatch } = progress;
  const { connection, crd, run } = heldRun;
  const rewrite = (signal: AbortSignal) =>
    rewriteObjects({
      ...{ connection, crd, version: identity.storageVersion, gate, tally, onPatch, writes, runId: run.id, signal, skipAbove },
      ...{ ownEntries, leftEntries },
      settleResourceVersion: settlePoint.resourceVersion,
      settledAt: Date.parse(settlePoint.takenAt),
      checkAbove: state.checkAbove ?? settlePoint.resourceVersion,
      pacer: heldRun.control.pacer,
      // That writes an object without showing how it was stored, so every object gets its patch first.
      takesBack: run.verify !== "every-object" || skipAbove === null,
      verifying: state.run.phase === "verifying",
      throughStatus: run.throughStatus.allowed,
      keepOwnership: run.ownership.keep,
      guard: state.guard,
      onDisproof: withdrawingEvidence(progress),
    });
  return whileConfirmed(confirmingFor(progress), rewrite);
}

function confirmingFor({ heldRun, gate, writes, signal }: Progress): Confirming & { writes: UnconfirmedWrites } {
  return { connection: heldRun.connection, crd: heldRun.crd, gate, pacer: heldRun.control.pacer, writes, runId: heldRun.run.id, signal };
}

function proofOf({ run }: HeldRun, identity: CrdIdentity, settlePoint: SettlePoint, result: PassResult): Proof {
  return signed({
    ...identity,
    settleResourceVersion: settlePoint.resourceVersion,
    settleSeconds: settlePoint.settleSeconds,
    verifiedResourceVersion: result.resourceVersion,
    objects: result.objects,
    verify: run.verify,
    provenAt: new Date().toISOString(),
    runId: run.id,
    acceptedLosses: run.acceptedLosses,
    signature: null,
  });
}

function publish({ connection, crd }: HeldRun, run: Run): Run {
  fleetOf(connection).noteRun(crd.name, run);
  return run;
}
