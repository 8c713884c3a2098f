import type { ObjectName } from "#lib/domain/rewrite/run.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";
import type { Outcome } from "#lib/rewrite/run/object/outcome.ts";
import type { Tally } from "./tally.ts";

/** Counts of object outcomes in this process since it started. Each pass counts, so a verification counts objects again. */
export function outcomesHere(): Record<Outcome["kind"], number> {
  return processWide("outcomes", () => ({ rewritten: 0, alreadyCurrent: 0, gone: 0, rejected: 0 }));
}

/** Counts an object's outcome for its run and for this process. */
export function countOutcome(tally: Tally, object: ObjectName, outcome: Outcome, mayBeAgain = false): void {
  tally.count(object, outcome, mayBeAgain);
  outcomesHere()[outcome.kind] += 1;
}
