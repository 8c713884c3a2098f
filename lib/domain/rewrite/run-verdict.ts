import { formatCount } from "#lib/domain/wording/format-count.ts";
import { rejectedWords } from "./rejected-words.ts";
import { isLive, type Run, reasonWithCaveats } from "./run.ts";
import { beyondCancelled, heldBackReason, mayHaveRewrittenMore, provenAtEnd } from "./run-sentences.ts";

/** How a run ended. `sentence` is for people; `because` gives the reason, with the cluster's words, where the sentence does not. */
export interface RunVerdict {
  kind: "succeeded" | "held-back" | "rejected" | "cancelled" | "interrupted" | "failed";
  sentence: string;
  because: string | null;
}

/** What keeps a run from being resumed. */
export const SUPERSEDED = "A newer rewrite was started, so this one can't be resumed.";

/** Whether a run is one to resume; `newest` is the id of the definition's newest run, null if unknown. */
export function canResume({ id, phase }: Pick<Run, "id" | "phase">, newest: string | null): boolean {
  return phase === "interrupted" && id === newest;
}

/** The verdict on an ended run; null while it is live. `newest` is the id of the definition's newest run: this one, unless given. */
export function runVerdict(run: Run, newest: string | null = run.id): RunVerdict | null {
  if (isLive(run)) return null;
  const { counts, heldBackBecause } = run;
  const because = reasonWithCaveats(run);
  switch (run.phase) {
    // What is stored now, the run alone can't say.
    case "succeeded":
      return { kind: "succeeded", sentence: provenAtEnd(run), because };
    case "unproven":
      if (heldBackBecause !== null) {
        return { kind: "held-back", sentence: heldBackSentence(run), because: heldBackReason(run) };
      }
      return {
        kind: "rejected",
        sentence: `${rejectedWords(counts)}, so there is no proof.`,
        because,
      };
    case "cancelled":
      return { kind: "cancelled", sentence: cancelledSentence(run), because: beyondCancelled(because) };
    case "interrupted": {
      const silent = run.endedAt === null ? ": its process stopped responding" : "";
      const how = canResume(run, newest) ? " Resume continues where it stopped." : newest === null ? "" : ` ${SUPERSEDED}`;
      return { kind: "interrupted", sentence: `Interrupted${remaining(run)}${silent}.${how}`, because };
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

function heldBackSentence(run: Run): string {
  if (run.counts.rewritten > 0) return "Held back before anything more was rewritten.";
  if (hasOtherEngineBegun(run)) return `Held back. ${UNKNOWN_REWRITTEN}`;
  return `Held back before anything${run.rewrittenAtLeast ? " more" : ""} was rewritten.`;
}

function hasOtherEngineBegun({ delegation }: Run): boolean {
  return delegation !== null && delegation.phase !== null && delegation.phase !== "pending";
}

const UNKNOWN_REWRITTEN = "crdshift can't tell what the cluster's own engine rewrote.";

function cancelledSentence(run: Run): string {
  if (run.counts.rewritten > 0) return `Cancelled${remaining(run)}. Rewritten objects stay rewritten; a new rewrite skips them.`;
  if (run.delegation !== null) return `Cancelled${remaining(run)}. ${UNKNOWN_REWRITTEN}`;
  if (mayHaveRewrittenMore(run)) return `Cancelled${remaining(run)}. crdshift can't tell whether any object was rewritten.`;
  return "Cancelled before any object was rewritten.";
}

function remaining({ counts }: Run): string {
  return counts.remaining ? ` with ${formatCount(counts.remaining)} remaining` : "";
}
