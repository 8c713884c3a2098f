import { setTimeout } from "node:timers/promises";
import { shuttingDown } from "#lib/contract/app-error.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";

/** What writes to a cluster and is no run: a cleaning, the verification of a claimed proof, or what a run has found to be wrong. */
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

/** For a process that ends with its run: resolves once all such work has ended, or after this time. Null if there is none. */
export function untilWorkEnds(withinMs: number): Promise<void> | null {
  const here = [...works()];
  if (here.length === 0) return null;
  const ended = Promise.allSettled(here.map((work) => work.ended));
  return Promise.race([ended, setTimeout(withinMs, null, { ref: false })]).then(() => {});
}

function works(): Set<Work> {
  return processWide("work-beside-runs", () => new Set());
}
