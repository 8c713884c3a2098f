import { formatCount, formatCountOf } from "#lib/domain/wording/format-count.ts";
import { isLive, type Run } from "./run.ts";
import { beyondCancelled } from "./run-sentences.ts";

/** How a run ended. `sentence` is for people; `because` gives the reason, with the cluster's words, where the sentence does not. */
export interface RunVerdict {
  kind: "proven" | "held-back" | "rejected" | "cancelled" | "interrupted" | "failed";
  sentence: string;
  because: string | null;
}

/** The verdict on an ended run; null while it is live. */
export function runVerdict(run: Run): RunVerdict | null {
  if (isLive(run)) return null;
  const { counts, heldBackBecause, statusReason: because, storageVersion } = run;
  switch (run.phase) {
    case "succeeded": {
      const stored = counts.rewritten + counts.alreadyCurrent;
      const sentence =
        stored === 0
          ? `Nothing left to rewrite: no object is stored at a version other than ${storageVersion}.`
          : `All ${formatCountOf(stored, "object")} are stored as ${storageVersion}.`;
      return { kind: "proven", sentence, because };
    }
    case "unproven":
      if (heldBackBecause !== null) {
        const sentence = `Held back before anything${counts.rewritten > 0 ? " more" : ""} was rewritten.`;
        return { kind: "held-back", sentence, because: because?.startsWith(heldBackBecause) ? because : heldBackBecause };
      }
      return {
        kind: "rejected",
        sentence: `${formatCountOf(counts.rejected, "object")} could not be rewritten, so there is no proof.`,
        because,
      };
    case "cancelled":
      return { kind: "cancelled", sentence: cancelledSentence(run), because: beyondCancelled(because) };
    case "interrupted": {
      const silent = run.endedAt === null ? ": its process stopped responding" : "";
      return { kind: "interrupted", sentence: `Interrupted${remaining(run)}${silent}. Resume continues where it stopped.`, because };
    }
    case "failed":
      return { kind: "failed", sentence: `Failed${remaining(run)}.`, because };
    case "settling":
    case "rewriting":
    case "verifying":
    case "paused":
      return null;
    default:
      return run.phase satisfies never;
  }
}

function cancelledSentence(run: Run): string {
  if (run.counts.rewritten > 0) return `Cancelled${remaining(run)}. Rewritten objects stay rewritten; a new rewrite skips them.`;
  if (run.delegation === null) return "Cancelled before any object was rewritten.";
  return `Cancelled${remaining(run)}. crdshift can't tell what the cluster's own engine rewrote.`;
}

function remaining({ counts }: Run): string {
  return counts.remaining ? ` with ${formatCount(counts.remaining)} remaining` : "";
}
