import type { DryRunRecord } from "#lib/domain/losses/dry-run-record.ts";
import { untriedWords } from "#lib/domain/losses/sample-of.ts";
import { formatCount, formatCountOf } from "#lib/domain/wording/format-count.ts";

type Tried = Pick<DryRunRecord, "total" | "checked" | "onlyRead" | "alreadyCurrent" | "wouldBeRejected">;

/** How many objects a dry run looked at: "5 of 5 objects tried", or "checked" if some were only read. */
export function checkedWords({ total, checked, onlyRead }: Pick<Tried, "total" | "checked" | "onlyRead">): string {
  return `${formatCount(checked)} of ${formatCountOf(total, "object")} ${onlyRead > 0 ? "checked" : "tried"}`;
}

/** What it found of rejections, as a clause. Reading an object tells nothing of them. */
export function rejectionWords(dryRun: Tried): string {
  const { checked, onlyRead, wouldBeRejected } = dryRun;
  if (wouldBeRejected > 0) return `${formatCount(wouldBeRejected)} would be rejected`;
  if (checked === 0) return untriedWords(dryRun) ?? "nothing had to be patched";
  if (onlyRead === 0) return "none would be rejected";
  if (onlyRead === checked) return "no write was tried";
  return `none of the ${formatCount(checked - onlyRead)} tried would be rejected`;
}
