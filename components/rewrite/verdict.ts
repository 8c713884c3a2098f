import { formatCount, formatCountOf } from "#components/ui/format-count.ts";
import type { Run } from "#lib/contract/rewrite/run.ts";
import { isLive } from "#lib/domain/rewrite/run.ts";

/** How an ended run ended, in a sentence; null while it is at work. */
export function verdict(run: Run): string | null {
  const { counts, storageVersion } = run;
  if (isLive(run)) return null;
  switch (run.phase) {
    case "succeeded":
      return counts.rewritten + counts.alreadyCurrent === 0
        ? `There are no objects left to rewrite: nothing is stored as anything but ${storageVersion}.`
        : `All ${formatCountOf(counts.rewritten + counts.alreadyCurrent, "object")} are stored as ${storageVersion}.`;
    case "blocked":
      if (run.heldBackBecause) return `Held back before anything${counts.rewritten > 0 ? " more" : ""} was rewritten.`;
      return `${formatCountOf(counts.rejected, "object")} could not be rewritten, so there is no proof.`;
    case "cancelled":
      return `Cancelled${remaining(run)}. What was rewritten stays rewritten; a new rewrite skips it.`;
    case "interrupted":
      return `Interrupted${remaining(run)}${run.endedAt === null ? ": the process that did it stopped answering" : ""}. Resume goes on where it stopped.`;
    case "failed":
      return `Failed${remaining(run)}.`;
    case "settling":
    case "rewriting":
    case "verifying":
    case "paused":
      return null;
    default:
      return run.phase satisfies never;
  }
}

function remaining({ counts }: Run): string {
  return counts.remaining === null || counts.remaining === 0 ? "" : ` with ${formatCount(counts.remaining)} remaining`;
}
