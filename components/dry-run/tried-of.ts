import { formatCount, formatCountOf } from "#components/ui/format-count.ts";
import type { DryRun } from "#lib/domain/preflight.ts";

/** How many objects were chosen to be tried, of how many, and how; null until that is known. */
export function triedOf({ total, planned, alreadyCurrent }: Pick<DryRun, "total" | "planned" | "alreadyCurrent">): string | null {
  if (total === null || planned === null) return null;
  if (total === 0) return "There are no objects.";
  const candidates = total - alreadyCurrent;
  const current =
    alreadyCurrent > 0 ? ` ${formatCountOf(alreadyCurrent, "object is", "objects are")} stored at the storage version already.` : "";
  if (candidates <= 0) return `Nothing is to be tried.${current}`;
  if (planned >= candidates) return `${formatCountOf(planned, "object")}, every one that a rewrite would patch.${current}`;
  return `A random sample: ${formatCount(planned)} of ${formatCount(candidates)} objects. The other ${formatCount(candidates - planned)} are not looked at.${current}`;
}
