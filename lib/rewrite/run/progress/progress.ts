import type { Finding } from "#lib/cluster/definitions/evidence/withdrawn-evidence.ts";
import type { CrdIdentity } from "#lib/domain/rewrite/identity.ts";
import { isOtherEngineAtWork, type Run, withCaveats } from "#lib/domain/rewrite/run.ts";
import type { OnPatch } from "#lib/domain/rewrite/sent-patches.ts";
import { exposureSentence } from "#lib/rewrite/guards/exposure-sentence.ts";
import type { LossGuard } from "#lib/rewrite/guards/loss-guard.ts";
import type { Gate } from "#lib/rewrite/pacing/outage-gate.ts";
import type { HeldRun } from "#lib/rewrite/record/held-run.ts";
import { stopOf } from "#lib/rewrite/record/stop-of.ts";
import type { LeftEntries, OwnEntries } from "#lib/rewrite/run/object/ownership/left-entries.ts";
import type { Disproof } from "#lib/rewrite/run/pass.ts";
import type { UnconfirmedWrites } from "#lib/rewrite/run/unconfirmed-writes.ts";
import type { Tally } from "./tally.ts";

/** The shared state of an active run. */
export interface Progress {
  heldRun: HeldRun;
  identity: CrdIdentity;
  gate: Gate;
  tally: Tally;
  writes: UnconfirmedWrites;
  ownEntries: OwnEntries;
  leftEntries: LeftEntries;
  /** What writes without an answer may disprove, if they were stored. */
  unanswered: Disproof[];
  /** Each resolves once a finding is on record, whoever holds the run by then, or once that has been given up. */
  withdrawals: Promise<unknown>[];
  signal: AbortSignal;
  /** Counts a sent patch in `state.run.sent`. */
  onPatch: OnPatch;
  state: {
    run: Run;
    /** Which objects are checked for losses right before they are written. */
    guard: LossGuard;
    /** The run's first settle point: no dry run tried what was above it, and a later one vouches for nothing below itself. */
    checkAbove: string | null;
    /** A finding that needed no doubt when it was made; null if there was none. */
    expected: Finding | null;
    /** Whether the run may have a StorageVersionMigration: an earlier process may have asked for one, or this one has. */
    mayHaveMigration: boolean;
  };
}

/** The run as it is now, for its record and for people. */
export function snapshot(
  { state: { run, guard }, heldRun, gate, tally, signal }: Progress,
  closedBecause: string | null = gate.cause(),
): Run {
  const { pacer } = heldRun.control;
  const stop = signal.aborted ? stopOf(signal.reason) : null;
  // Show an interruption at once; writing the end may take seconds.
  const interrupted = stop?.phase === "interrupted";
  const paused = !interrupted && pacer.paused() === "in-force";
  if (paused) tally.rest();
  const { throughStatus, kept, lost } = tally.statusAndOwnership();
  const retryAt = closedBecause === null || interrupted || paused ? null : gate.retryAt();
  const because = closedBecause ?? (run.phase === "settling" ? run.statusReason : null);
  const statusReason = paused ? ["Paused manually.", because].filter(Boolean).join(" ") : because;
  return {
    ...run,
    phase: interrupted ? "interrupted" : paused ? "paused" : run.phase,
    counts: tally.counts(),
    rewrittenAtLeast: tally.isAtLeast(),
    rejections: tally.rejections(),
    ...(run.phase === "rewriting" && !paused && !isOtherEngineAtWork(run) ? tally.speed() : { ratePerSecond: null, etaSeconds: null }),
    rates: tally.rates(),
    maxPerSecond: pacer.maxPerSecond(),
    pace: pacer.pace(),
    command: stop ? (stop.phase === "cancelled" ? "cancel" : null) : pacer.paused() === "pressed" ? "pause" : null,
    statusReason: interrupted ? stop.message : statusReason,
    retryAt: retryAt === null ? null : new Date(retryAt).toISOString(),
    endedAt: interrupted ? new Date().toISOString() : null,
    throughStatus: { ...run.throughStatus, objects: throughStatus },
    ownership: { ...run.ownership, kept, lost },
    // Recorded with each renewal: a process that is killed tells no end.
    caveats: withCaveats(run.caveats, [exposureSentence(guard.admission, run.delegation)]),
    renewedAt: new Date().toISOString(),
  };
}
