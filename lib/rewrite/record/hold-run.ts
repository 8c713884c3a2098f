import { sleep } from "#lib/async/sleep.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { restoredSince } from "#lib/cluster/definitions/evidence/evidence-before-restore.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { clusterAnswer } from "#lib/cluster/transport/cluster-answer.ts";
import { errorWords, isAppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { isOlderState } from "#lib/domain/definition/is-older-state.ts";
import type { RestoredEtcd } from "#lib/domain/definition/restored-etcd.ts";
import { compareResourceVersions } from "#lib/domain/objects/resource-version.ts";
import { type RewriteRecord, readableRecord } from "#lib/domain/record/rewrite-record.ts";
import { type CrdIdentity, identityChange } from "#lib/domain/rewrite/identity.ts";
import { isLive, RENEW_EVERY_MS, type Run, TAKE_OVER_AFTER_MS } from "#lib/domain/rewrite/run.ts";
import type { Gate } from "#lib/rewrite/pacing/outage-gate.ts";
import { classifyFailure } from "#lib/rewrite/run/object/request/classify-failure.ts";
import { holderName, type RunControl } from "#lib/rewrite/run/running.ts";
import { isStopRun, StopRun } from "#lib/rewrite/run/stop-run.ts";
import { lastingDenial } from "./lasting-denial.ts";
import { noteLostRun } from "./lost-runs.ts";
import { recordAction } from "./record-action.ts";
import { updateRecord, writtenRun } from "./update-record.ts";

/** A started run: its record is written and names this process as the holder. */
export interface HeldRun {
  connection: Connection;
  crd: Crd;
  run: Run;
  settleSeconds: number;
  control: RunControl;
  /** The last restore of etcd that this process had noticed before it read the definition. */
  lastRestore: RestoredEtcd | null;
  /**
   * Its last renewal that this process knows to be written, at first its beginning, and those sent since, whose answers may be lost. A restore
   * of etcd may bring an earlier one back; by a clock that was set back, a later one looks older.
   */
  renewals?: readonly string[];
}

/** A renewal must end well before another process may take over. */
const RENEWAL_TIMEOUT_MS = 20_000;
const RETRY_RENEWAL_MS = 3_000;
export const DELETED = "The definition was deleted.";
export const RESTORED = "etcd was restored from a backup during the rewrite, so nothing is proven. Start a new rewrite.";

/**
 * Renews the run in the annotation every 15 s. While that fails, or after this process has slept, the gate is held, because another
 * crdshift may take over; it opens once the record is renewed and still belongs to this process. The deadline counts from the written
 * time, as it does for others, because the answer may arrive much later.
 * @throws StopRun if another crdshift took over, the run's token has ended, or the definition has changed.
 */
export async function keepRenewing(
  heldRun: HeldRun,
  identity: CrdIdentity,
  gate: Gate,
  renewed: () => Run,
  signal: AbortSignal,
): Promise<void> {
  let renewedAt = Date.parse(heldRun.run.renewedAt);
  const mayGoOn = () => gate.record.release(renewedAt + TAKE_OVER_AFTER_MS - RENEWAL_TIMEOUT_MS);
  mayGoOn();
  const denial = lastingDenial("The rewrite's record can't be renewed any more");
  for (let waitMs: number | null = null; ; ) {
    try {
      await sleep(waitMs ?? untilRenewal(renewedAt), signal);
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(RENEWAL_TIMEOUT_MS)]);
      const written = await updateHeld(heldRun, identity, (record) => withRun(record, renewed()), deadline);
      renewedAt = Date.parse(writtenRun(written).renewedAt);
      waitMs = null;
      denial.succeeded();
      mayGoOn();
    } catch (error) {
      if (signal.aborted) return;
      if (isStopRun(error)) throw error;
      const failure = classifyFailure(error, null);
      if (failure.kind === "interrupt") throw new StopRun("interrupted", failure.message);
      denial.failed(error);
      waitMs = retryMs(error);
      // It asks that of everyone, so nothing else is sent either.
      const askedMs = clusterAnswer(error)?.retryAfterMs ?? null;
      if (failure.kind === "wait" && askedMs !== null) gate.close(failure.message, askedMs);
      if (Date.now() - renewedAt + RENEWAL_TIMEOUT_MS > TAKE_OVER_AFTER_MS)
        gate.record.hold(`The rewrite's record can't be renewed: ${errorWords(error)}`);
    }
  }
}

/** How long to wait until the record is written again: never less than the server asked for. */
export function retryMs(error: unknown): number {
  return Math.max(RETRY_RENEWAL_MS, clusterAnswer(error)?.retryAfterMs ?? 0);
}

/** Whether a read found that the definition is gone: a 404 that doesn't come from the API server says nothing about it. */
export function isDeleted(error: unknown): boolean {
  return isAppError(error) && error.code === "not_found" && clusterAnswer(error) === null;
}

// The usual interval at most, even if the clock was set back.
function untilRenewal(renewedAt: number): number {
  return Math.min(RENEW_EVERY_MS, Math.max(0, renewedAt + RENEW_EVERY_MS - Date.now()));
}

/**
 * Changes the record as updateRecord does, if this process still holds the run, the definition is unchanged, and etcd was not restored: the
 * write would make the definition newer than before, and nothing would show the restore any more. Throws StopRun otherwise.
 */
export async function updateHeld(
  heldRun: HeldRun,
  identity: CrdIdentity,
  change: (record: RewriteRecord, now: Crd) => RewriteRecord,
  signal: AbortSignal,
): Promise<Crd> {
  const { connection, crd, lastRestore } = heldRun;
  const seen = fleetOf(connection).lastSeen(crd.name);
  const known = knownRenewals(heldRun);
  const changeHeld = (now: Crd, record: RewriteRecord) => {
    if (isOlderState(now, seen) || restoredSince(connection, lastRestore)) throw new StopRun("failed", RESTORED);
    // It may have been renewed while it was read.
    const { sent } = knownRenewals(heldRun);
    const changed = change(held(now, record, { ...known, sent: [...known.sent, ...sent] }, identity), now);
    heldRun.renewals = [...sent, ...changed.runs.slice(0, 1).map(({ renewedAt }) => renewedAt)];
    return changed;
  };
  const written = await updateRecord(connection, crd.name, changeHeld, signal);
  const { sent } = knownRenewals(heldRun);
  const at = sent.lastIndexOf(writtenRun(written).renewedAt);
  // Otherwise, a later one has been written before this answer came.
  if (at >= 0) heldRun.renewals = sent.slice(at);
  return written;
}

/** What tells this process's record, if it is read from now on, from an older one. */
export function knownRenewals({ run, renewals = [run.renewedAt] }: Pick<HeldRun, "run" | "renewals">): KnownRenewals {
  return { run, renewedAt: renewals[0] ?? null, sent: renewals };
}

function held(now: Crd, record: RewriteRecord, known: KnownRenewals, identity: CrdIdentity): RewriteRecord {
  if (now.uid !== identity.uid) throw recreated();
  const mine = ownRecord(record, known);
  const change = identityChange(now, identity);
  if (change) throw new StopRun("failed", `The definition changed during the rewrite: ${change}.`);
  return mine;
}

/**
 * Aborts as soon as the watch reports a changed definition, or one that no longer records the run as this process's, or that etcd was
 * restored, or the cluster refuses the credentials, which ends the watch. The patches must stop at once, not at the next renewal. Returns a
 * function that unsubscribes.
 */
export function stopWhenChanged(heldRun: HeldRun, identity: CrdIdentity, stop: AbortController): () => void {
  const { connection, crd, lastRestore } = heldRun;
  const fleet = fleetOf(connection);
  const onRefused = () => stop.abort(stopOf(fleet.refused.reason));
  fleet.refused.addEventListener("abort", onRefused);
  const checkRecord = () => {
    const now = fleet.lastSeen(crd.name);
    if (now?.uid !== identity.uid) return;
    const order = compareResourceVersions(now.resourceVersion, crd.resourceVersion);
    // A backup taken while it ran has a definition that is not older.
    if (order < 0 || restoredSince(connection, lastRestore)) stop.abort(new StopRun("failed", RESTORED));
    // A watch may be behind what this process has written since.
    const reason = order > 0 ? disowned(readableRecord(now), { ...knownRenewals(heldRun), renewedAt: null }) : null;
    if (reason) stop.abort(reason);
  };
  // It may have got an end before the run began.
  checkRecord();
  const unsubscribe = fleet.follow(crd.name, (now) => {
    checkRecord();
    if (now === null) stop.abort(new StopRun("failed", DELETED));
    else if (now.uid !== identity.uid) stop.abort(recreated());
    else if (now.generation > identity.generation) {
      stop.abort(
        new StopRun("failed", "The definition's spec changed during the rewrite. Rewritten objects stay rewritten, but nothing is proven."),
      );
    }
  });
  return () => {
    fleet.refused.removeEventListener("abort", onRefused);
    unsubscribe();
  };
}

/** Stops showing this process's state of the run: from now on the annotation tells, or an end that couldn't be recorded there. */
export function letGo({ connection, crd }: Pick<HeldRun, "connection" | "crd">): void {
  fleetOf(connection).noteRun(crd.name, null);
}

/** Why a run ends, from any thrown value. Network and credential errors interrupt it, so it can be resumed. */
export function stopOf(reason: unknown): StopRun {
  if (isStopRun(reason)) return reason;
  const isTemporary = isAppError(reason) && ["cluster_unreachable", "cluster_timeout", "unauthenticated"].includes(reason.code);
  return new StopRun(isTemporary ? "interrupted" : "failed", errorWords(reason));
}

/** The record, if this process still holds the run, no older than it was known before it was read. Throws StopRun otherwise. */
export function ownRecord(record: RewriteRecord, known: KnownRenewals): RewriteRecord {
  const reason = disowned(record, known);
  if (reason) throw reason;
  return record;
}

/** A run as this process began or resumed it, and its renewals that were known by the time the record was asked for. */
export interface KnownRenewals {
  run: Pick<Run, "id" | "renewedAt">;
  /** Null if any may be there. */
  renewedAt: string | null;
  sent: readonly string[];
}

/** Why this process must not go on with a run, by its record; null if it may. */
function disowned(record: RewriteRecord | null, { run: begun, renewedAt, sent }: KnownRenewals): StopRun | null {
  const newest = record?.runs[0];
  const isMine = record?.holder === holderName();
  // Another clock than this process's may be behind.
  const known = isMine ? renewedAt : begun.renewedAt;
  const isBefore = newest?.id === begun.id && known !== null && Date.parse(newest.renewedAt) < Date.parse(known);
  const isOlder = isBefore && !sent.includes(newest.renewedAt);
  if (isMine && newest?.id === begun.id && !isOlder) return null;
  if (!record?.runs.some(({ id }) => id === begun.id)) {
    return lost("Its record was removed from the definition's annotation.", "Start a new rewrite.");
  }
  // Whoever takes a run over has renewed it since, perhaps by a clock that is behind, and whoever ends it leaves its last renewal.
  const isHeld = record.holder !== null && !isMine && newest !== undefined && isLive(newest);
  if (isOlder && !isHeld) {
    const why = "An older record of it was put back into the definition's annotation, by whoever applied it or by a restore of etcd.";
    return lost(why, "Resume it, or start a new rewrite.");
  }
  return new StopRun("elsewhere", "Another crdshift took over the rewrite.");
}

function lost(why: string, nextStep: string): StopRun {
  return new StopRun("lost", `${why} Rewritten objects stay rewritten, but nothing is proven. ${nextStep}`);
}

/** Why a run stops if the definition that it was started on is gone, and another has its name. */
export function recreated(): StopRun {
  return new StopRun("lost", "The definition was deleted and created again.");
}

/** Reports in an Event and in the log that a run stopped because its record is gone: the annotation can't say so. */
export function tellLost({ connection, crd, run, control }: HeldRun, message: string): void {
  noteLostRun(run);
  const endedAt = new Date().toISOString();
  const last = control.current();
  const told = ["The rewrite stopped.", message, last.delegation?.left].filter(Boolean).join(" ");
  recordAction(connection, crd.name, { kind: "failed", at: endedAt, run: run.id, message: told }, crd.uid);
  const ended: Run = { ...last, phase: "failed", statusReason: message, endedAt, retryAt: null };
  control.current = () => ended;
}

/** The record with the run in place of its newest. */
export function withRun(record: RewriteRecord, run: Run): RewriteRecord {
  return { ...record, runs: [run, ...record.runs.slice(1)] };
}
