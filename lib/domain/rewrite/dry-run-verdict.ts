import type { DryRun } from "#lib/domain/losses/dry-run.ts";
import { describeLosses, holdsBack } from "#lib/domain/losses/losses.ts";
import { sampleOf, untriedWords } from "#lib/domain/losses/sample-of.ts";
import { formatCount, formatCountOf } from "#lib/domain/wording/format-count.ts";

export interface DryRunVerdict {
  /** `obstructed`: a rewrite would fail, or end without a proof. `doubtful`: it would lose something, or that is unknown. */
  kind: "clear" | "doubtful" | "obstructed" | "cancelled" | "failed";
  /** What a rewrite would do, worst first. */
  sentences: string[];
}

/** The outcome of a dry run; null while it is running. */
export function dryRunVerdict(dryRun: DryRun): DryRunVerdict | null {
  const { phase, dryRun: outcome, losses, moreLosses } = dryRun;
  const tried = formatCountOf(outcome.checked, "object");
  switch (phase) {
    case "running":
      return null;
    case "failed":
      return { kind: "failed", sentences: ["The dry run failed; its findings so far are below."] };
    case "cancelled":
      return { kind: "cancelled", sentences: [`Cancelled after ${tried}; the findings so far are below.`] };
    case "succeeded":
      break;
    default:
      return phase satisfies never;
  }
  const obstructions = obstructionsIn(dryRun);
  const doubts = doubtsIn(dryRun);
  if (obstructions.length > 0) return { kind: "obstructed", sentences: [...obstructions, ...doubts] };
  if (doubts.length > 0) return { kind: "doubtful", sentences: doubts };
  if (outcome.checked === outcome.gone) return { kind: "clear", sentences: ["A rewrite would have nothing to patch."] };
  const added = losses.length > 0 ? [`${describeLosses(losses, moreLosses, sampleOf(outcome))}.`] : [];
  const gone = outcome.gone > 0 ? [`${formatCountOf(outcome.gone, "object was", "objects were")} deleted meanwhile.`] : [];
  const passing = formatCountOf(outcome.wouldPass + outcome.onlyRead, "object");
  const would = outcome.wouldPass === 1 ? "The 1 object tried would pass" : `All ${passing} tried would pass`;
  const sentence =
    outcome.onlyRead > 0 ? `A rewrite of the ${passing} checked would lose nothing.` : `${would}, and nothing would be lost.`;
  return { kind: "clear", sentences: [sentence, ...gone, ...added] };
}

function obstructionsIn({ checks, dryRun }: DryRun): string[] {
  const failing = checks.filter(({ status }) => status === "fail").length;
  return [
    ...(failing > 0 ? [`${formatCountOf(failing, "check")} failed: a rewrite would fail.`] : []),
    ...(dryRun.wouldBeRejected > 0
      ? [`${formatCount(dryRun.wouldBeRejected)} of ${formatCountOf(dryRun.checked - dryRun.onlyRead, "object")} tried would be rejected.`]
      : []),
  ];
}

function doubtsIn({ losses, moreLosses, lossesKnown, dryRun }: DryRun): string[] {
  const holding = losses.filter(({ kind }) => holdsBack(kind));
  const untried = untriedWords(dryRun);
  return [
    ...(holding.length > 0 ? [`${describeLosses(holding, moreLosses, sampleOf(dryRun))}.`] : []),
    ...(lossesKnown ? [] : ["What a rewrite would lose is unknown."]),
    ...(untried === null ? [] : [`The outcome is unknown: ${untried}.`]),
    ...(dryRun.cannotDryRun > 0 ? [`${formatCountOf(dryRun.cannotDryRun, "object")} can't be dry-run, so the outcome is unknown.`] : []),
  ];
}
