import { formatCountOf } from "#lib/domain/wording/format-count.ts";
import type { Run } from "./run.ts";

/**
 * What another rewrite does after one that ended with rejected objects, for people. `dryRun` is the id of the definition's dry run, whose
 * figures may predate the run.
 */
export function retryWords(run: Pick<Run, "counts" | "acceptedLosses" | "dryRun">, dryRun: string | null, through = ""): string {
  const { rejected, remaining } = run.counts;
  const starts = `Starts a new rewrite that skips finished objects and retries the ${formatCountOf(rejected, "rejected object")}${through}.`;
  if (remaining !== 0) {
    const objects = remaining === null ? "objects" : formatCountOf(remaining, "object");
    return `${starts} It also rewrites the ${objects} that ${remaining === 1 ? "remains" : "remain"}.`;
  }
  const isOfRun = run.acceptedLosses !== null && run.dryRun !== null && dryRun === run.dryRun;
  return isOfRun ? `${starts} The others already have the changes that the dry run found.` : starts;
}
