import type { DryRunOutcome } from "#lib/domain/losses/dry-run.ts";
import { untriedWords } from "#lib/domain/losses/sample-of.ts";
import { formatCountOf } from "#lib/domain/wording/format-count.ts";

/** What it means that an ended dry run found no loss. */
export function noLossWords(outcome: DryRunOutcome): string {
  const { checked, gone, wouldPass, onlyRead } = outcome;
  const untried = untriedWords(outcome);
  if (untried !== null) return `Unknown: ${untried}.`;
  if (checked === gone) return "Nothing had to be tried, so nothing would be lost.";
  if (onlyRead > 0) return `None in the ${formatCountOf(wouldPass + onlyRead, "object")} that were read or would pass.`;
  if (wouldPass === 0) return "Unknown: none of the objects tried would pass.";
  return `None in the ${formatCountOf(wouldPass, "object")} that would pass.`;
}
