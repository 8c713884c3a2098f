import { processWide } from "#lib/process-wide/process-wide.ts";
import type { Outcome } from "./pass.ts";

/** How objects ended in the passes of this process since it was started: once a pass, so that a verification counts them again. */
export function outcomesHere(): Record<Outcome["kind"], number> {
  return processWide("outcomes", () => ({ rewritten: 0, alreadyCurrent: 0, gone: 0, rejected: 0 }));
}
