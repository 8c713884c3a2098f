import { isLive, type Run } from "#lib/domain/rewrite/run.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";
import { type RunKey, runKeyText } from "#lib/rewrite/run/run-key.ts";

/** Remembers that the record of a run of this process was lost, so that one that is put back lacks what the run did since. */
export function noteLostRun(run: RunKey): void {
  lostRuns().add(runKeyText(run));
}

/**
 * What the record of a stopped run counted: less than it did, if it went silent or an older record was put back. Its settle point is recorded
 * before its first write, a dry run's patches come earlier.
 */
export function countedAtLeast(run: Run): Pick<Run, "sent" | "rewrittenAtLeast"> {
  const isOlder = lostRuns().has(runKeyText(run));
  const isSilent = isLive(run);
  return {
    sent: run.sent && { ...run.sent, atLeast: run.sent.atLeast || isOlder || isSilent },
    rewrittenAtLeast: run.rewrittenAtLeast || isOlder || (isSilent && run.settledAt !== null),
  };
}

/** By runKeyText. */
function lostRuns(): Set<string> {
  return processWide("lost-runs", () => new Set());
}
