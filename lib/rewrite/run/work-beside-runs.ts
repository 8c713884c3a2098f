import { setTimeout } from "node:timers/promises";
import { shuttingDown } from "#lib/contract/app-error.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";

/** What writes to a cluster and is no run: a cleaning, or the verification of a claimed proof. */
interface Work {
  stop: AbortController;
  ended: Promise<unknown>;
}

/** Has a shutdown of this process stop the work, and wait until it has ended. Not for work that begins after that: changes are refused then. */
export function endAtShutdown(work: Work): void {
  const here = works();
  here.add(work);
  const leave = () => void here.delete(work);
  work.ended.then(leave, leave);
}

/** What they still record has to arrive, and an orchestrator kills the process soon. */
const ENDS_WITHIN_MS = 5_000;

/** Stops all such work. Resolves once it has ended, or after five seconds. */
export async function shutDownWork(): Promise<void> {
  const stopping = [...works()];
  for (const { stop } of stopping) stop.abort(shuttingDown());
  await Promise.race([Promise.allSettled(stopping.map(({ ended }) => ended)), setTimeout(ENDS_WITHIN_MS, null, { ref: false })]);
}

function works(): Set<Work> {
  return processWide("work-beside-runs", () => new Set());
}
