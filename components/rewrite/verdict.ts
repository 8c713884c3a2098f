import type { Run } from "#lib/contract/rewrite/run.ts";
import { isLive } from "#lib/domain/rewrite/run.ts";
import { formatCount, formatCountOf } from "#lib/domain/wording/format-count.ts";

/** The outcome of an ended run, in a sentence; null while it is live. */
export function verdict(run: Run): string | null {
  const { counts, storageVersion } = run;
  if (isLive(run)) return null;
  switch (run.phase) {
    case "succeeded":
      return counts.rewritten + counts.alreadyCurrent === 0
        ? `Nothing left to rewrite: no object is stored at a version other than ${storageVersion}.`
        : `All ${formatCountOf(counts.rewritten + counts.alreadyCurrent, "object")} are stored as ${storageVersion}.`;
    case "unproven":
      if (run.heldBackBecause) return `Held back before anything${counts.rewritten > 0 ? " more" : ""} was rewritten.`;
      return `${formatCountOf(counts.rejected, "object")} could not be rewritten, so there is no proof.`;
    case "cancelled":
      return `Cancelled${remaining(run)}. Rewritten objects stay rewritten; a new rewrite skips them.`;
    case "interrupted":
      return `Interrupted${remaining(run)}${run.endedAt === null ? ": its process stopped responding" : ""}. Resume continues where it stopped.`;
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
