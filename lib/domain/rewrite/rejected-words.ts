import { formatCountOf } from "#lib/domain/wording/format-count.ts";
import type { RunCounts } from "./run.ts";

/** How many of the rejected objects the run had rewritten before, and then couldn't verify. They count as both. */
export function rejectedAfterwards({ total, rewritten, alreadyCurrent, gone, rejected, remaining }: RunCounts): number {
  // While a list is read again, objects that were rewritten before remain, too.
  if (total === null || remaining !== 0) return 0;
  return Math.min(rejected, Math.max(0, rewritten + alreadyCurrent + gone + rejected - total));
}

/** What a run couldn't do with the objects that it rejected, as a clause. */
export function rejectedWords(counts: RunCounts): string {
  const objects = formatCountOf(counts.rejected, "object");
  const afterwards = rejectedAfterwards(counts);
  if (afterwards === 0) return `${objects} could not be rewritten`;
  if (afterwards < counts.rejected) return `${objects} could not be rewritten, or not be verified after that`;
  return `${objects} could not be verified after ${counts.rejected === 1 ? "it was" : "they were"} rewritten`;
}
