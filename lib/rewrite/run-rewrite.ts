import { setMaxListeners } from "node:events";
import { sleep } from "#lib/async/sleep.ts";
import type { Connection } from "#lib/cluster/connection.ts";
import { fleetOf } from "#lib/cluster/fleet.ts";
import { errorMessage, isAppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/crd.ts";
import {
  type CrdIdentity,
  crdIdentity,
  identityChange,
  type Proof,
  RENEW_EVERY_MS,
  type RewriteRecord,
  type Run,
  readableRecord,
  type SettlePoint,
  TAKE_OVER_AFTER_MS,
  validSettlePoint,
} from "#lib/domain/rewrite.ts";
import { createGate, type Gate } from "./gate.ts";
import { type PassResult, rewriteObjects } from "./rewrite-objects.ts";
import { holderName } from "./running.ts";
import { settle } from "./settle.ts";
import { isStopRun, StopRun } from "./stop-run.ts";
import { createTally, type Tally } from "./tally.ts";
import { updateRecord } from "./update-record.ts";

/** A run that has been started: its record is written and names this process as the holder. */
export interface Job {
  connection: Connection;
  crd: Crd;
  run: Run;
  settleSeconds: number;
}

const PUBLISH_EVERY_MS = 500;
const MAX_PASSES = 6;
const FAREWELL_MS = 10_000;

/**
 * The whole rewrite: settle, rewrite, verify, proof. It ends by writing how it ended into the annotation; when even that
 * fails, the record falls silent and the run shows as interrupted after 45 s.
 */
export async function runRewrite(job: Job, stopSignal: AbortSignal): Promise<void> {
  const identity = crdIdentity(job.crd);
  if (!identity) return;
  const watchdog = new AbortController();
  const signal = AbortSignal.any([stopSignal, watchdog.signal]);
  setMaxListeners(0, signal);
  const gate = createGate(signal);
  const tally = createTally();
  const state: { run: Run; proof: Proof | null } = { run: job.run, proof: null };
  const progress: Progress = { job, identity, gate, tally, signal, state };

  const stopWatching = stopWhenChanged(job, identity, watchdog);
  const publishing = setInterval(() => publish(job, snapshot(state.run, gate, tally)), PUBLISH_EVERY_MS);
  const renewing = keepRenewing(job, identity, () => snapshot(state.run, gate, tally), signal).catch((error: unknown) =>
    watchdog.abort(error),
  );
  try {
    const settlePoint = validSettlePoint(job.crd) ?? (await settleFirst(progress));
    state.proof = await rewriteUntilProven(progress, settlePoint);
    state.run = { ...state.run, phase: state.proof ? "succeeded" : "blocked" };
  } catch (error) {
    const stop = stopOf(signal.aborted ? signal.reason : error);
    state.run = { ...state.run, phase: stop.phase, pausedBecause: stop.message };
  } finally {
    clearInterval(publishing);
    stopWatching();
    watchdog.abort(new StopRun("cancelled", "ended"));
    await renewing;
    const pausedBecause = state.run.pausedBecause;
    const ended = {
      ...snapshot(state.run, gate, tally),
      pausedBecause,
      ratePerSecond: null,
      etaSeconds: null,
      endedAt: new Date().toISOString(),
    };
    await finish(job, identity, ended, state.proof);
  }
}

interface Progress {
  job: Job;
  identity: CrdIdentity;
  gate: Gate;
  tally: Tally;
  signal: AbortSignal;
  state: { run: Run };
}

async function settleFirst({ job, identity, signal, state }: Progress): Promise<SettlePoint> {
  const { connection, crd } = job;
  const settlePoint = await settle({
    connection,
    crdName: crd.name,
    identity,
    settleSeconds: job.settleSeconds,
    signal,
    onWait(because, until) {
      state.run = { ...state.run, pausedBecause: because, settlesAt: until === null ? null : new Date(until).toISOString() };
    },
  });
  // Written at once: it stays good for this run, a resumed one and the next.
  await updateRecord(connection, crd.name, (now, record) => ({ ...held(now, record, job, identity), settlePoint }), signal);
  return settlePoint;
}

/** Passes until one has nothing to change: that pass is the verification. Null when objects were rejected. */
async function rewriteUntilProven(progress: Progress, settlePoint: SettlePoint): Promise<Proof | null> {
  const { job, identity, state } = progress;
  const settleResourceVersion = settlePoint.resourceVersion;
  state.run = {
    ...state.run,
    phase: "rewriting",
    pausedBecause: null,
    settlesAt: null,
    settledAt: new Date().toISOString(),
    settleResourceVersion,
  };
  const everyObject = job.run.verify === "every-object";

  let result = await pass(progress, settleResourceVersion, progress.tally);
  for (let passes = 1; result.rejected === 0; passes += 1) {
    const verified = result.rewritten === 0 && (passes > 1 || (result.patched === 0 && !everyObject));
    if (verified) return proofOf(job, identity, settlePoint, result);
    if (passes >= MAX_PASSES) throw new StopRun("failed", "Objects below the settle point keep changing; nothing is proven.");
    state.run = { ...state.run, phase: "verifying" };
    const tally = createTally();
    result = await pass(progress, everyObject && passes === 1 ? null : settleResourceVersion, tally);
    progress.tally.amend(tally);
  }
  return null;
}

async function pass({ job, identity, gate, signal }: Progress, settleResourceVersion: string | null, tally: Tally): Promise<PassResult> {
  const { connection, crd, run } = job;
  return rewriteObjects({ connection, crd, version: identity.storageVersion, settleResourceVersion, gate, tally, runId: run.id, signal });
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
  };
}

function snapshot(run: Run, gate: Gate, tally: Tally): Run {
  const cause = gate.cause();
  return {
    ...run,
    counts: tally.counts(),
    rejections: tally.rejections(),
    ...(run.phase === "rewriting" ? tally.speed() : { ratePerSecond: null, etaSeconds: null }),
    pausedBecause: cause ?? (run.phase === "settling" ? run.pausedBecause : null),
    renewedAt: new Date().toISOString(),
  };
}

function publish({ connection, crd }: Job, run: Run): void {
  fleetOf(connection).noteRun(crd.name, run);
}

async function keepRenewing(job: Job, identity: CrdIdentity, current: () => Run, signal: AbortSignal): Promise<void> {
  let renewedAt = Date.now();
  for (;;) {
    try {
      await sleep(RENEW_EVERY_MS, signal);
      await updateRecord(job.connection, job.crd.name, (now, record) => withRun(held(now, record, job, identity), current()), signal);
      renewedAt = Date.now();
    } catch (error) {
      if (signal.aborted) return;
      // Somebody may take over from now on, so nothing may be sent any more.
      if (isStopRun(error) || Date.now() - renewedAt > TAKE_OVER_AFTER_MS - RENEW_EVERY_MS) throw stopOf(error);
    }
  }
}

/** The record, if this process still holds the run and the definition is what it was. Throws StopRun otherwise. */
function held(now: Crd, record: RewriteRecord, job: Job, identity: CrdIdentity): RewriteRecord {
  if (record.holder !== holderName() || record.runs[0]?.id !== job.run.id)
    throw new StopRun("interrupted", "Another crdshift took the run over.");
  const change = identityChange(now, identity);
  if (change) throw new StopRun("failed", `The definition changed during the run: ${change}.`);
  return record;
}

function withRun(record: RewriteRecord, run: Run): RewriteRecord {
  return { ...record, runs: [run, ...record.runs.slice(1)] };
}

// A change of the spec must stop the patches at once, not at the next renewal.
function stopWhenChanged({ connection, crd }: Job, identity: CrdIdentity, watchdog: AbortController): () => void {
  return fleetOf(connection).subscribe((event) => {
    if (event.event !== "crd" || event.data.item.name !== crd.name) return;
    if (event.data.type === "deleted") watchdog.abort(new StopRun("failed", "The definition was deleted."));
    else if (event.data.item.uid !== identity.uid || event.data.item.generation > identity.generation) {
      watchdog.abort(new StopRun("failed", "The definition's spec changed during the run; what was done stays, nothing is proven."));
    }
  });
}

// Even a cancelled run says how it ended; a proof is written only while everything is as it was.
async function finish(job: Job, identity: CrdIdentity, run: Run, proof: Proof | null): Promise<void> {
  const { connection, crd } = job;
  const farewell = AbortSignal.timeout(FAREWELL_MS);
  try {
    // Shown only once it is written: nobody may see a proof that the cluster does not hold.
    const written = await updateRecord(
      connection,
      crd.name,
      (now, record) => {
        if (record.holder !== holderName() || record.runs[0]?.id !== run.id)
          throw new StopRun("interrupted", "Another crdshift took the run over.");
        const change = proof && identityChange(now, identity);
        if (change) {
          const failed: Run = { ...run, phase: "failed", pausedBecause: `The definition changed during the run: ${change}.` };
          return { ...withRun(record, failed), holder: null };
        }
        return { ...withRun(record, run), holder: null, ...(proof && { proof }) };
      },
      farewell,
    );
    const ended = readableRecord(written)?.runs[0];
    if (ended) publish(job, ended);
  } finally {
    fleetOf(connection).noteRun(crd.name, null);
  }
}

function stopOf(reason: unknown): StopRun {
  if (isStopRun(reason)) return reason;
  const words = isAppError(reason) ? [reason.message, reason.clusterMessage].filter(Boolean).join(" ") : errorMessage(reason);
  const network = isAppError(reason) && (reason.code === "cluster_unreachable" || reason.code === "cluster_timeout");
  return new StopRun(network ? "interrupted" : "failed", words);
}
