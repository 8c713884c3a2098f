import { formatCount, formatCountOf } from "#lib/domain/wording/format-count.ts";
import { rejectedWords } from "./rejected-words.ts";
import { isLive, type Run, type RunPhase, reasonWithCaveats, untoldCaveats } from "./run.ts";

/** Phases in which a run has ended, or stopped until it is resumed. */
export type EndPhase = Extract<RunPhase, "succeeded" | "unproven" | "cancelled" | "interrupted" | "failed">;

export function isEnd(phase: RunPhase): phase is EndPhase {
  return !isLive({ phase });
}

export function startSentence({ crd, storageVersion }: Pick<Run, "crd" | "storageVersion">): string {
  return `The rewrite of ${crd} to ${storageVersion} started.`;
}

/** What the reason of a cancelled run adds to that it was cancelled; null if nothing. */
export function beyondCancelled(reason: string | null): string | null {
  return reason?.replace(/^Cancelled\.\s*/, "") || null;
}

type Proven = Pick<Run, "provenObjects" | "storageVersion">;

// The run's counts say what it did: objects may be gone since.
function provenWords({ provenObjects: objects, storageVersion }: Proven, one: "is" | "was"): string {
  if (objects === 0) return `no object ${one} stored as anything but ${storageVersion}`;
  if (objects === 1) return `the one object ${one} stored as ${storageVersion}`;
  return `all ${objects === null ? "" : `${formatCount(objects)} `}objects ${one === "is" ? "are" : "were"} stored as ${storageVersion}`;
}

/** What a proof that holds says is stored. */
export function provenNow(proven: Proven): string {
  return capitalized(`${provenWords(proven, "is")}.`);
}

/** What the proof of a run that succeeded said was stored as it ended. */
export function provenAtEnd(run: Proven): string {
  return capitalized(`${provenWords(run, "was")} when it ended.`);
}

function capitalized(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** How many objects a run rewrote, as far as known. */
export function rewrittenWords(run: Pick<Run, "counts" | "rewrittenAtLeast" | "phase" | "endedAt">): string {
  return `${mayHaveRewrittenMore(run) ? "at least " : ""}${formatCount(run.counts.rewritten)}`;
}

/** Whether the run may have rewritten more objects than counted. A run that went silent never recorded its last ones. */
export function mayHaveRewrittenMore(run: Pick<Run, "rewrittenAtLeast" | "phase" | "endedAt">): boolean {
  return run.rewrittenAtLeast || (run.phase === "interrupted" && run.endedAt === null);
}

/** How a rewrite verified its objects, or would, for people. */
export function verificationWords(verify: Run["verify"]): string {
  return verify === "every-object"
    ? "a second patch doesn't change any object"
    : "every object is above the settle point, or a second patch doesn't change it";
}

/** How a run ended, in one or two sentences for Events and the log. */
export function endSentence(run: Run & { phase: EndPhase }): string {
  const { counts, statusReason } = run;
  const reason = reasonWithCaveats(run);
  const because = reason ? ` ${reason}` : "";
  switch (run.phase) {
    case "succeeded":
      return `The rewrite is proven: ${provenWords(run, "is")}.${because}`;
    case "unproven":
      if (run.heldBackBecause !== null) return `The rewrite was held back${beforeMore(run)}. ${heldBackReason(run)}`;
      return `${rejectedWords(counts)}, so there is no proof.${because}`;
    case "cancelled":
      return [`The rewrite was cancelled${remaining(run)}.`, beyondCancelled(reason)].filter(Boolean).join(" ");
    case "interrupted":
      return [
        `The rewrite was interrupted${remaining(run)}.`,
        statusReason ?? "Its process stopped responding.",
        ...untoldCaveats(run),
      ].join(" ");
    case "failed":
      return `The rewrite failed${remaining(run)}.${because}`;
    default:
      return run.phase satisfies never;
  }
}

function beforeMore({ counts }: Run): string {
  return counts.rewritten > 0 ? " before anything more was rewritten" : "";
}

/** What held a run back, with what its reason says beyond that; null if nothing held it back. */
export function heldBackReason(run: Pick<Run, "heldBackBecause" | "statusReason" | "caveats">): string | null {
  const { heldBackBecause, statusReason, caveats } = run;
  if (heldBackBecause === null) return null;
  return reasonWithCaveats({ statusReason: statusReason?.startsWith(heldBackBecause) ? statusReason : heldBackBecause, caveats });
}

function remaining({ counts }: Run): string {
  return counts.remaining ? ` with ${formatCountOf(counts.remaining, "object")} remaining` : "";
}
