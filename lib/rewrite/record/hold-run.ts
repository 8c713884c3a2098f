import { sleep } from "#lib/async/sleep.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet.ts";
import { errorWords, isAppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { compareResourceVersions } from "#lib/domain/objects/resource-version.ts";
import { type CrdIdentity, identityChange } from "#lib/domain/rewrite/identity.ts";
import type { Proof, Prune, RewriteRecord } from "#lib/domain/rewrite/rewrite-record.ts";
import { RENEW_EVERY_MS, type Run, TAKE_OVER_AFTER_MS } from "#lib/domain/rewrite/run.ts";
import { readableRecord } from "#lib/domain/rewrite/valid-proof.ts";
import type { Gate } from "#lib/rewrite/pacing/outage-gate.ts";
import { classifyFailure } from "#lib/rewrite/run/object/classify-failure.ts";
import { holderName, type RunControl } from "#lib/rewrite/run/running.ts";
import { isStopRun, StopRun } from "#lib/rewrite/run/stop-run.ts";
import { recordAction, recordEnd } from "./record-action.ts";
import { updateRecord, writtenRun } from "./update-record.ts";
import { withoutWithdrawn } from "./without-withdrawn.ts";

/** A started run: its record is written and names this process as the holder. */
export interface Job {
  connection: Connection;
  crd: Crd;
  run: Run;
  settleSeconds: number;
  control: RunControl;
}

/** A renewal must end well before another process may take over. */
const RENEWAL_TIMEOUT_MS = 20_000;
const RETRY_RENEWAL_MS = 3_000;
const FAREWELL_MS = 10_000;
const FAREWELL_WITHIN_MS = 10 * 60_000;

/**
 * Renews the run in the annotation every 15 s. While that fails, or after this process has slept, the gate is held, because another
 * crdshift may take over; it opens once the record is renewed and still belongs to this process. The deadline counts from the written
 * time, as it does for others, because the answer may arrive much later.
 * @throws StopRun if another crdshift took over, the run's token has ended, or the definition has changed.
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

// The usual interval at most, even if the clock was set back.
function untilRenewal(renewedAt: number): number {
  return Math.min(RENEW_EVERY_MS, Math.max(0, renewedAt + RENEW_EVERY_MS - Date.now()));
}

/** The record, if this process still holds the run and the definition is unchanged. Throws StopRun otherwise. */
export function held(now: Crd, record: RewriteRecord, job: Job, identity: CrdIdentity): RewriteRecord {
  const mine = ownRecord(record, job.run.id);
  const change = identityChange(now, identity);
  if (change) throw new StopRun("failed", `The definition changed during the run: ${change}.`);
  return mine;
}

/**
 * Aborts as soon as the watch reports a changed definition, or one that no longer records the run, or the cluster refuses the
 * credentials, which ends the watch. The patches must stop at once, not at the next renewal. Returns a function that unsubscribes.
 */
export function stopWhenChanged({ connection, crd, run }: Job, identity: CrdIdentity, stop: AbortController): () => void {
  const fleet = fleetOf(connection);
  const onRefused = () => stop.abort(stopOf(fleet.refused.reason));
  fleet.refused.addEventListener("abort", onRefused);
  const unsubscribe = fleet.subscribe((event) => {
    if (event.event !== "crd" || event.data.item.name !== crd.name) return;
    const now = fleet.crd(crd.name);
    const isNewer = now?.uid === identity.uid && compareResourceVersions(now.resourceVersion, crd.resourceVersion) > 0;
    if (isNewer && !isNamed(readableRecord(now), run.id)) stop.abort(lost());
    if (event.data.type === "deleted") stop.abort(new StopRun("failed", "The definition was deleted."));
    else if (event.data.item.uid !== identity.uid || event.data.item.generation > identity.generation) {
      stop.abort(
        new StopRun("failed", "The definition's spec changed during the run. Rewritten objects stay rewritten, but nothing is proven."),
      );
    }
  });
  return () => {
    fleet.refused.removeEventListener("abort", onRefused);
    unsubscribe();
  };
}

/**
 * Writes how the run ended, with a proof only if the definition is unchanged. It does not use the run's signal, so cancelled runs are
 * recorded too. It retries for ten minutes, so that an outage does not cost hours of work, unless the run was told to stop.
 */
export async function finishRun(
  { connection, crd }: Job,
  identity: CrdIdentity,
  { run, proof }: { run: Run; proof: Proof | null },
  { stop, onDelay }: { stop: AbortSignal; onDelay: (because: string) => void },
): Promise<void> {
  const end = (now: Crd, record: RewriteRecord): RewriteRecord => {
    // An earlier attempt may have succeeded without its answer arriving.
    if (record.holder === null && record.runs[0]?.id === run.id && record.runs[0].endedAt === run.endedAt) return record;
    const mine = { ...withoutWithdrawn(connection, ownRecord(record, run.id)), holder: null };
    const change = proof && identityChange(now, identity);
    if (change) return withRun(mine, { ...run, phase: "failed", statusReason: `The definition changed during the run: ${change}.` });
    // The dry run's predictions have happened; the proof keeps what was accepted.
    return withRun(proof ? { ...mine, proof, doubt: null, dryRun: null, prune: provenPrune(now, run) ?? mine.prune } : mine, run);
  };
  const giveUpAt = Date.now() + FAREWELL_WITHIN_MS;
  try {
    for (;;) {
      try {
        // Shown only once written, so that no one sees a proof that the cluster doesn't have.
        const written = await updateRecord(connection, crd.name, end, AbortSignal.timeout(FAREWELL_MS));
        const ended = readableRecord(written)?.runs[0] ?? null;
        if (ended) recordEnd(connection, ended);
        return fleetOf(connection).noteRun(crd.name, ended);
      } catch (error) {
        if (stop.aborted || !passes(error) || Date.now() > giveUpAt) throw error;
        onDelay(`crdshift can't record yet how the run ended: ${errorWords(error)}`);
        await sleep(RETRY_RENEWAL_MS, stop).catch(() => {});
      }
    }
  } finally {
    letGo({ connection, crd });
  }
}

// The versions that the cluster's own engine removed are proven now; record them as a prune that can be undone.
function provenPrune(now: Crd, { id, delegation, storageVersion, startedBy, endedAt }: Run): Prune | null {
  const before = delegation?.storedVersionsBefore ?? [];
  const versions = before.filter((version) => version !== storageVersion && !now.storedVersions.includes(version));
  const prunedAt = delegation?.endedAt ?? endedAt;
  const by = `the cluster's own engine, for ${startedBy}`;
  return versions.length > 0 && prunedAt !== null ? { versions, prunedAt, by, runId: id, reason: null } : null;
}

/** Stops showing this process's state of the run; from now on the annotation is the only source. */
export function letGo({ connection, crd }: Pick<Job, "connection" | "crd">): void {
  fleetOf(connection).noteRun(crd.name, null);
}

/** Why a run ends, from any thrown value. Network and credential errors interrupt it, so it can be resumed. */
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
  if (!isNamed(record, runId)) throw lost();
  throw new StopRun("elsewhere", "Another crdshift took over the run.");
}

function isNamed(record: RewriteRecord | null, runId: string): boolean {
  return record?.runs.some(({ id }) => id === runId) ?? false;
}

function lost(): StopRun {
  const message =
    "Its record was removed from the definition's annotation. Rewritten objects stay rewritten, but nothing is proven. Start a new rewrite.";
  return new StopRun("lost", message);
}

/** Reports in an Event and in the log that a run stopped because its record is gone: the annotation can't say so. */
export function tellLost({ connection, run }: Job, message: string): void {
  const at = new Date().toISOString();
  recordAction(connection, run.crd, { kind: "failed", at, run: run.id, message: `The rewrite stopped. ${message}` });
}

function withRun(record: RewriteRecord, run: Run): RewriteRecord {
  return { ...record, runs: [run, ...record.runs.slice(1)] };
}
