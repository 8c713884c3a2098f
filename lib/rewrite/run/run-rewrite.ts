import { setMaxListeners } from "node:events";
import { fleetOf } from "#lib/cluster/fleet/fleet.ts";
import { withReason } from "#lib/domain/record/given-reason.ts";
import { type CrdIdentity, crdIdentity } from "#lib/domain/rewrite/identity.ts";
import type { Proof, SettlePoint } from "#lib/domain/rewrite/rewrite-record.ts";
import { isOtherEngineAtWork, type Run } from "#lib/domain/rewrite/run.ts";
import { validSettlePoint } from "#lib/domain/rewrite/valid-proof.ts";
import { acceptsLostOwnership } from "#lib/rewrite/commands/accept-losses.ts";
import { delegateRewrite, putBack } from "#lib/rewrite/delegation/delegate-rewrite.ts";
import { checkLosses } from "#lib/rewrite/guards/check-losses.ts";
import { createGate } from "#lib/rewrite/pacing/outage-gate.ts";
import { throughGate } from "#lib/rewrite/pacing/through-gate.ts";
import { finishRun, held, type Job, keepRenewing, letGo, stopOf, stopWhenChanged } from "#lib/rewrite/record/hold-run.ts";
import { updateRecord } from "#lib/rewrite/record/update-record.ts";
import type { Progress } from "./progress.ts";
import { type PassResult, rewriteObjects } from "./rewrite-objects.ts";
import { settle } from "./settle.ts";
import { StopRun } from "./stop-run.ts";
import { createTally, type Tally } from "./tally.ts";

const PUBLISH_EVERY_MS = 500;
const MAX_PASSES = 6;
const PUT_BACK_WITHIN_MS = 5_000;

/**
 * Runs the whole rewrite: settle, rewrite, verify, prove. Its last step writes the result into the annotation; if even that fails, the
 * record goes silent and the run shows as interrupted after 45 s.
 */
export async function runRewrite(job: Job, stopSignal: AbortSignal): Promise<void> {
  const identity = crdIdentity(job.crd);
  if (!identity) return;
  const watchdog = new AbortController();
  const signal = AbortSignal.any([stopSignal, watchdog.signal]);
  setMaxListeners(0, signal);
  const gate = createGate(job.control.pacer.pausedMs);
  const tally = createTally();
  const state: Progress["state"] = { run: job.run, guarded: false };
  const onPatch: Progress["onPatch"] = (purpose) => {
    const { sent } = state.run;
    if (sent) state.run = { ...state.run, sent: { ...sent, [purpose]: sent[purpose] + 1 } };
  };
  const progress: Progress = { job, identity, gate, tally, signal, state, onPatch };
  const current = () => snapshot(progress);
  job.control.current = current;
  // Publishing after the end would contradict the written record.
  job.control.publish = () => (job.control.ending ? current() : publish(job, current()));
  job.control.noteReason = (reason) => {
    state.run = { ...state.run, reasons: withReason(state.run.reasons, reason) };
  };

  const stopWatching = stopWhenChanged(job, identity, watchdog);
  const publishing = setInterval(job.control.publish, PUBLISH_EVERY_MS);
  // A successful renewal ends the hold, so don't record the hold's cause: it would stay until the next renewal.
  const renewed = () => snapshot(progress, gate.outage());
  const renewing = keepRenewing(job, identity, gate, renewed, signal).catch((error: unknown) => watchdog.abort(error));
  const end = await endOf(progress);
  job.control.ending = true;
  clearInterval(publishing);
  stopWatching();
  watchdog.abort(new StopRun("cancelled", "ended"));
  await renewing;
  if (end.phase === "elsewhere") return letGo(job);
  const { proof, ...how } = end;
  const run: Run = { ...current(), ...how, command: null, ratePerSecond: null, etaSeconds: null, endedAt: new Date().toISOString() };
  const onDelay = (statusReason: string) => void publish(job, { ...current(), command: null, statusReason });
  await finishRun(job, identity, { run, proof }, { stop: stopSignal, onDelay });
}

type End = { phase: "elsewhere" } | (Pick<Run, "phase" | "statusReason" | "heldBackBecause"> & { proof: Proof | null });

/** Does the work and returns how it ended. Repairs versions that the cluster's own engine removed from storedVersions without proof. */
async function endOf(progress: Progress): Promise<End> {
  const end = await work(progress);
  const { delegation } = progress.state.run;
  // An interrupted run repairs the list when it is resumed; a shutdown leaves no time for it now.
  if (end.phase === "elsewhere" || end.phase === "interrupted" || end.proof || !delegation || delegation.phase === null) return end;
  try {
    await putBack(progress, () => true, AbortSignal.timeout(PUT_BACK_WITHIN_MS));
    return end;
  } catch (error) {
    const { message } = stopOf(error);
    const notPutBack = `status.storedVersions may lack versions that are still stored, and crdshift couldn't check it: ${message}`;
    return { ...end, statusReason: [end.statusReason, notPutBack].filter(Boolean).join(" ") };
  }
}

async function work(progress: Progress): Promise<End> {
  try {
    await checkLosses(progress);
    const settlePoint = validSettlePoint(progress.job.crd) ?? (await settleFirst(progress));
    beginRewriting(progress, settlePoint);
    if (progress.state.run.delegation) await delegateRewrite(progress);
    const proof = await rewriteUntilProven(progress, settlePoint);
    return { phase: proof ? "succeeded" : "unproven", statusReason: null, heldBackBecause: null, proof };
  } catch (error) {
    const { phase, message } = stopOf(progress.signal.aborted ? progress.signal.reason : error);
    if (phase === "elsewhere") return { phase };
    return { phase, statusReason: message, heldBackBecause: phase === "unproven" ? message : null, proof: null };
  }
}

async function settleFirst({ job, identity, gate, signal, state }: Progress): Promise<SettlePoint> {
  const { connection, crd } = job;
  const settlePoint = await settle({
    connection,
    crdName: crd.name,
    identity,
    settleSeconds: job.settleSeconds,
    gate,
    signal,
    onWait(because, until) {
      state.run = { ...state.run, statusReason: because, settlesAt: until === null ? null : new Date(until).toISOString() };
    },
  });
  // Written at once, because it stays valid for this run, a resumed run and the next run.
  const write = () => updateRecord(connection, crd.name, (now, record) => ({ ...held(now, record, job, identity), settlePoint }), signal);
  await throughGate(gate, signal, write);
  return settlePoint;
}

function beginRewriting({ state }: Progress, { resourceVersion }: SettlePoint): void {
  state.run = {
    ...state.run,
    phase: "rewriting",
    statusReason: null,
    settlesAt: null,
    settledAt: new Date().toISOString(),
    settleResourceVersion: resourceVersion,
  };
}

/** Repeats passes until one changes nothing; that pass is the verification. Null if objects were rejected. */
async function rewriteUntilProven(progress: Progress, settlePoint: SettlePoint): Promise<Proof | null> {
  const { job, identity, state } = progress;
  const settleResourceVersion = settlePoint.resourceVersion;
  const everyObject = job.run.verify === "every-object";
  // After another engine's rewrite, the first pass already verifies, and rewrites what that engine left.
  if (state.run.delegation?.phase === "succeeded") state.run = { ...state.run, phase: "verifying" };

  let result = await pass(progress, settleResourceVersion, progress.tally);
  for (let passes = 1; result.rejected === 0; passes += 1) {
    const verified = result.rewritten === 0 && (passes > 1 || (result.patched === 0 && !everyObject));
    if (verified) return proofOf(job, identity, settlePoint, result);
    if (passes >= MAX_PASSES) throw new StopRun("failed", "Objects below the settle point keep changing; nothing is proven.");
    state.run = { ...state.run, phase: "verifying" };
    const tally = createTally();
    result = await pass(progress, everyObject ? null : settleResourceVersion, tally);
    progress.tally.amend(tally);
  }
  return null;
}

async function pass(
  { job, identity, gate, signal, state, onPatch }: Progress,
  settleResourceVersion: string | null,
  tally: Tally,
): Promise<PassResult> {
  const { connection, crd, run } = job;
  return rewriteObjects({
    ...{ connection, crd, version: identity.storageVersion, settleResourceVersion, gate, tally, onPatch, runId: run.id, signal },
    pacer: job.control.pacer,
    verifying: state.run.phase === "verifying",
    throughStatus: run.throughStatus.allowed,
    keepOwnership: run.ownership.keep,
    lossesAccepted: acceptsLostOwnership(run.acceptedLosses),
    guarded: state.guarded,
  });
}

function proofOf({ run }: Job, identity: CrdIdentity, settlePoint: SettlePoint, result: PassResult): Proof {
  return {
    ...identity,
    settleResourceVersion: settlePoint.resourceVersion,
    settleSeconds: settlePoint.settleSeconds,
    verifiedResourceVersion: result.resourceVersion,
    objects: result.objects,
    verify: run.verify,
    provenAt: new Date().toISOString(),
    runId: run.id,
    acceptedLosses: run.acceptedLosses,
  };
}

function snapshot({ state: { run }, job, gate, tally, signal }: Progress, closedBecause: string | null = gate.cause()): Run {
  const { pacer } = job.control;
  const stop = signal.aborted ? stopOf(signal.reason) : null;
  // Show an interruption at once; writing the end may take seconds.
  const interrupted = stop?.phase === "interrupted";
  const paused = !interrupted && pacer.paused() === "in-force";
  if (paused) tally.rest();
  const { throughStatus, kept, lost } = tally.special();
  const because = closedBecause ?? (run.phase === "settling" ? run.statusReason : null);
  const statusReason = paused ? ["Paused manually.", because].filter(Boolean).join(" ") : because;
  return {
    ...run,
    phase: interrupted ? "interrupted" : paused ? "paused" : run.phase,
    counts: tally.counts(),
    rejections: tally.rejections(),
    ...(run.phase === "rewriting" && !paused && !isOtherEngineAtWork(run) ? tally.speed() : { ratePerSecond: null, etaSeconds: null }),
    rates: tally.rates(),
    maxPerSecond: pacer.maxPerSecond(),
    command: stop ? (stop.phase === "cancelled" ? "cancel" : null) : pacer.paused() === "pressed" ? "pause" : null,
    statusReason: interrupted ? stop.message : statusReason,
    endedAt: interrupted ? new Date().toISOString() : null,
    throughStatus: { ...run.throughStatus, objects: throughStatus },
    ownership: { ...run.ownership, kept, lost },
    renewedAt: new Date().toISOString(),
  };
}

function publish({ connection, crd }: Job, run: Run): Run {
  fleetOf(connection).noteRun(crd.name, run);
  return run;
}
