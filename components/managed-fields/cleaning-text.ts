import { formatCount, formatCountOf } from "#components/ui/format-count.ts";
import type { Cleaning } from "#lib/contract/managed-fields.ts";
import type { CleaningStep } from "#lib/queries/use-cleaning.ts";

/** How far a cleaning is or how it ended, in a sentence. */
export function cleaningText({ cleaning, dryRun, at }: Pick<CleaningStep, "cleaning" | "dryRun" | "at">): string {
  if (!cleaning) return at === "work" ? "Reading the objects…" : "Stopped before the first object was read.";
  const looked = `${formatCount(cleaning.scanned)}${cleaning.total === null ? "" : ` of ${formatCount(cleaning.total)}`}`;
  switch (at) {
    case "work":
      return dryRun
        ? `Looking at what would change: ${looked} looked at, ${formatCount(cleaning.cleaned)} to carry over.`
        : `${formatCount(cleaning.cleaned)} carried over, ${looked} looked at.`;
    case "stopped":
      return dryRun
        ? `Stopped after ${looked}. Nothing has been changed.`
        : `Stopped after ${looked}. ${formatCountOf(cleaning.cleaned, "object")} carried over; that stays.`;
    case "end":
      return endText(cleaning, dryRun);
    default:
      return at satisfies never;
  }
}

function endText({ cleaned, scanned, gone, rejected }: Cleaning, dryRun: boolean): string {
  if (cleaned + rejected === 0) return `None of the ${formatCountOf(scanned, "object")} has such an entry; there is nothing to carry over.`;
  const verb = dryRun ? "would change" : cleaned === 1 ? "is carried over" : "are carried over";
  const rest = [
    rejected > 0 ? `${formatCount(rejected)} ${dryRun ? "would be" : rejected === 1 ? "was" : "were"} rejected` : null,
    gone > 0 ? `${formatCount(gone)} gone meanwhile` : null,
  ].filter((part) => part !== null);
  return `${formatCount(cleaned)} of ${formatCountOf(scanned, "object")} ${verb}${rest.length > 0 ? `; ${rest.join(", ")}` : ""}.`;
}
