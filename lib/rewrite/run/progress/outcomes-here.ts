import { processWide } from "#lib/process-wide/process-wide.ts";
import type { Outcome } from "#lib/rewrite/run/object/outcome.ts";

/** Counts of object outcomes in this process since it started. Each pass counts, so a verification counts objects again. */
export function outcomesHere(): Record<Outcome["kind"], number> {
  return processWide("outcomes", () => ({ rewritten: 0, alreadyCurrent: 0, gone: 0, rejected: 0 }));
}
