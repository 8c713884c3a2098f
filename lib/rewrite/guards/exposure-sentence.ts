import type { Run } from "#lib/domain/rewrite/run.ts";
import { formatCountOf } from "#lib/domain/wording/format-count.ts";
import type { Exposed } from "./admission-watch.ts";

/**
 * What the end of a run or a cleaning (without a delegation) says about objects that were written while something new may have changed
 * them; null if there are none.
 */
export function exposureSentence(exposed: Exposed | null, delegation: Run["delegation"] = null): string | null {
  // Its migration was never picked up, so nothing was written.
  if (exposed === null || (delegation !== null && delegation.phase === null)) return null;
  const at = (ms: number) => new Date(ms).toISOString();
  const changed = `Mutating webhooks or policies were added, edited, or removed between ${at(exposed.from)} and ${at(exposed.to)}`;
  const written =
    delegation === null
      ? `Up to ${formatCountOf(exposed.objects, "object")} written in that time weren't checked first, and may have lost fields.`
      : "The cluster's own engine checks no object before it writes: what it wrote from then on may have lost fields.";
  return `${changed}, while objects were being written. ${written} Compare them with a backup, and restore what is missing.`;
}
