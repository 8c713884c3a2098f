import { formatCount, formatCountOf } from "#lib/domain/wording/format-count.ts";

/** Of the objects that a rewrite would patch, those that a dry run tried or read. */
export interface Sample {
  checked: number;
  total: number;
}

/** The counts of a dry run that decide. The record of one counts no object that was deleted meanwhile, so it has no `gone`. */
export interface SeenObjects {
  total: number | null;
  checked: number;
  alreadyCurrent: number;
  gone?: number;
}

/** The sample that a dry run looked at; null if it left out no object that a rewrite would patch. */
export function sampleOf({ total, checked, alreadyCurrent, gone = 0 }: SeenObjects): Sample | null {
  const all = (total ?? 0) - alreadyCurrent;
  return checked < all ? { checked: checked - gone, total: all - gone } : null;
}

/** "5 of 100 checked" */
export function sampleWords({ checked, total }: Sample): string {
  return `${formatCount(checked)} of ${formatCount(total)} checked`;
}

/** "none of the 3 objects that a rewrite would patch was tried", if a dry run left out all that a rewrite would patch; null if not. */
export function untriedWords(seen: SeenObjects): string | null {
  const sample = sampleOf(seen);
  if (sample?.checked !== 0) return null;
  return sample.total === 1
    ? "the 1 object that a rewrite would patch wasn't tried"
    : `none of the ${formatCountOf(sample.total, "object")} that a rewrite would patch was tried`;
}
