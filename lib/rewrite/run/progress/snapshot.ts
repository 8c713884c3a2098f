import { isOtherEngineAtWork, type Run, withCaveats } from "#lib/domain/rewrite/run.ts";
import { exposureSentence } from "#lib/rewrite/guards/exposure-sentence.ts";
import { stopOf } from "#lib/rewrite/record/hold-run.ts";
import type { Progress } from "./progress.ts";

/** The run as it is now, for its record and for people. */
export function snapshot({ state: { run, guard }, job, gate, tally, signal }: Progress, closedBecause: string | null = gate.cause()): Run {
  const { pacer } = job.control;
  const stop = signal.aborted ? stopOf(signal.reason) : null;
  // Show an interruption at once; writing the end may take seconds.
  const interrupted = stop?.phase === "interrupted";
  const paused = !interrupted && pacer.paused() === "in-force";
  if (paused) tally.rest();
  const { throughStatus, kept, lost } = tally.special();
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
