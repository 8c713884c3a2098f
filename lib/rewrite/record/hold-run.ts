import { sleep } from "#lib/async/sleep.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet.ts";
import { errorWords, isAppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import {
  type CrdIdentity,
  identityChange,
  type Proof,
  type Prune,
  RENEW_EVERY_MS,
  type RewriteRecord,
  type Run,
  readableRecord,
  TAKE_OVER_AFTER_MS,
} from "#lib/domain/rewrite/run.ts";
import type { Gate } from "#lib/rewrite/pacing/outage-gate.ts";
import { classifyFailure } from "#lib/rewrite/run/classify-failure.ts";
import { holderName, type RunControl } from "#lib/rewrite/run/running.ts";
import { isStopRun, StopRun } from "#lib/rewrite/run/stop-run.ts";
import { recordEnd } from "./record-action.ts";
import { updateRecord, writtenRun } from "./update-record.ts";

/** A run that has been started: its record is written and names this process as the holder. */
export interface Job {
  connection: Connection;
  crd: Crd;
  run: Run;
  settleSeconds: number;
  control: RunControl;
}

/** A renewal must have ended well before anybody may take over. */
const RENEWAL_TIMEOUT_MS = 20_000;
const RETRY_RENEWAL_MS = 3_000;
const FAREWELL_MS = 10_000;
const FAREWELL_WITHIN_MS = 10 * 60_000;

/**
 * Writes into the annotation that the run is at work, every 15 s. While that fails, or once this process has slept, nothing else
 * is sent either, since somebody may take over; it goes on once the record is renewed and still this process's. Others count from the
 * time that is written there, and so does this: the answer may be read long after it.
 * @throws StopRun when another crdshift took the run over, the token that it works with is over, or the definition is not what it was.
 */
export async function keepRenewing(job: Job, identity: CrdIdentity, gate: Gate, renewed: () => Run, signal: AbortSignal): Promise<void> {
  const renew = (now: Crd, record: RewriteRecord) => withRun(held(now, record, job, identity), renewed());
  let renewedAt = Date.parse(job.run.renewedAt);
  const mayGoOn = () => gate.release(renewedAt + TAKE_OVER_AFTER_MS - RENEWAL_TIMEOUT_MS);
  mayGoOn();
  for (let failing = false; ; ) {
    try {
      await sleep(failing ? RETRY_RENEWAL_MS : untilRenewal(renewedAt), signal);
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(RENEWAL_TIMEOUT_MS)]);
      const written = await updateRecord(job.connection, job.crd.name, renew, deadline);
      renewedAt = Date.parse(writtenRun(written).renewedAt);
      failing = false;
      mayGoOn();
    } catch (error) {
      if (signal.aborted) return;
      if (isStopRun(error)) throw error;
      const failure = classifyFailure(error, null);
      if (failure.kind === "interrupt") throw new StopRun("interrupted", failure.message);
      failing = true;
      if (Date.now() - renewedAt + RENEWAL_TIMEOUT_MS > TAKE_OVER_AFTER_MS)
        gate.hold(`The run's record can't be renewed: ${errorWords(error)}`);
    }
  }
}

// Not longer than usual when the clock was set back.
function untilRenewal(renewedAt: number): number {
  return Math.min(RENEW_EVERY_MS, Math.max(0, renewedAt + RENEW_EVERY_MS - Date.now()));
}

/** The record, if this process still holds the run and the definition is what it was. Throws StopRun otherwise. */
export function held(now: Crd, record: RewriteRecord, job: Job, identity: CrdIdentity): RewriteRecord {
  const mine = ownRecord(record, job.run.id);
  const change = identityChange(now, identity);
  if (change) throw new StopRun("failed", `The definition changed during the run: ${change}.`);
  return mine;
}

/**
 * Aborts as soon as the watch tells that the definition changed, or that the cluster refuses the credentials, whereupon there is no watch
 * any more: the patches must stop at once, not at the next renewal.
 */
export function stopWhenChanged({ connection, crd }: Job, identity: CrdIdentity, stop: AbortController): () => void {
  const fleet = fleetOf(connection);
  const onRefused = () => stop.abort(stopOf(fleet.refused.reason));
  fleet.refused.addEventListener("abort", onRefused);
  const unsubscribe = fleet.subscribe((event) => {
    if (event.event !== "crd" || event.data.item.name !== crd.name) return;
    if (event.data.type === "deleted") stop.abort(new StopRun("failed", "The definition was deleted."));
    else if (event.data.item.uid !== identity.uid || event.data.item.generation > identity.generation) {
      stop.abort(new StopRun("failed", "The definition's spec changed during the run; what was done stays, nothing is proven."));
    }
  });
  return () => {
    fleet.refused.removeEventListener("abort", onRefused);
    unsubscribe();
  };
}

/**
 * Writes how the run ended; a proof only while everything is as it was. It has time of its own: a cancelled run says so too. What
 * came of hours of work is not lost to an outage: it is tried again for ten minutes, unless somebody has told the run to stop.
 */
export async function finishRun(
  { connection, crd }: Job,
  identity: CrdIdentity,
  { run, proof }: { run: Run; proof: Proof | null },
  { stop, onDelay }: { stop: AbortSignal; onDelay: (because: string) => void },
): Promise<void> {
  const end = (now: Crd, record: RewriteRecord): RewriteRecord => {
    // An earlier try may have come through though its answer did not.
    if (record.holder === null && record.runs[0]?.id === run.id && record.runs[0].endedAt === run.endedAt) return record;
    const mine = { ...ownRecord(record, run.id), holder: null };
    const change = proof && identityChange(now, identity);
    if (change) return withRun(mine, { ...run, phase: "failed", statusReason: `The definition changed during the run: ${change}.` });
    // What a dry run told has happened now; the proof keeps what was accepted.
    return withRun(proof ? { ...mine, proof, dryRun: null, prune: provenPrune(now, run) ?? mine.prune } : mine, run);
  };
  const giveUpAt = Date.now() + FAREWELL_WITHIN_MS;
  try {
    for (;;) {
      try {
        // Shown only once it is written: nobody may see a proof that the cluster does not hold.
        const written = await updateRecord(connection, crd.name, end, AbortSignal.timeout(FAREWELL_MS));
        const ended = readableRecord(written)?.runs[0] ?? null;
        if (ended) recordEnd(connection, ended);
        return fleetOf(connection).noteRun(crd.name, ended);
      } catch (error) {
        if (stop.aborted || !passes(error) || Date.now() > giveUpAt) throw error;
        onDelay(`How the run ended can't be written yet: ${errorWords(error)}`);
        await sleep(RETRY_RENEWAL_MS, stop).catch(() => {});
      }
    }
  } finally {
    letGo({ connection, crd });
  }
}

// What the cluster's own engine took out is proven by now, and can be put back like a prune of crdshift's own.
function provenPrune(now: Crd, { id, delegation, storageVersion, startedBy, endedAt }: Run): Prune | null {
  const before = delegation?.storedVersionsBefore ?? [];
  const versions = before.filter((version) => version !== storageVersion && !now.storedVersions.includes(version));
  const prunedAt = delegation?.endedAt ?? endedAt;
  const by = `the cluster's own engine, for ${startedBy}`;
  return versions.length > 0 && prunedAt !== null ? { versions, prunedAt, by, runId: id, reason: null } : null;
}

/** From now on the annotation alone says what is true of the run. */
export function letGo({ connection, crd }: Pick<Job, "connection" | "crd">): void {
  fleetOf(connection).noteRun(crd.name, null);
}

/** Why a run ends, from whatever was thrown. What the network or the credentials did leaves it to be resumed. */
export function stopOf(reason: unknown): StopRun {
  if (isStopRun(reason)) return reason;
  const passing = isAppError(reason) && ["cluster_unreachable", "cluster_timeout", "unauthenticated"].includes(reason.code);
  return new StopRun(passing ? "interrupted" : "failed", errorWords(reason));
}

function passes(error: unknown): boolean {
  const timedOut = error instanceof Error && error.name === "TimeoutError";
  return timedOut || (!isStopRun(error) && classifyFailure(error, null).kind === "wait");
}

function ownRecord(record: RewriteRecord, runId: string): RewriteRecord {
  if (record.holder === holderName() && record.runs[0]?.id === runId) return record;
  throw new StopRun("elsewhere", "Another crdshift took the run over.");
}

function withRun(record: RewriteRecord, run: Run): RewriteRecord {
  return { ...record, runs: [run, ...record.runs.slice(1)] };
}
