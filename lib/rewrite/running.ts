import { randomUUID } from "node:crypto";
import { processWide } from "#lib/process-wide.ts";
import { StopRun } from "./stop-run.ts";

/** What this process itself is running: only handles to stop it. What is true of a run says the CRD's annotation. */
interface Running {
  /** Names this process in annotations. */
  readonly holder: string;
  readonly byRunId: Map<string, { stop: AbortController; ended: Promise<void> }>;
}

function running(): Running {
  return processWide("running", () => ({ holder: randomUUID(), byRunId: new Map() }));
}

export function holderName(): string {
  return running().holder;
}

/** Lets a run go on by itself, stoppable by its id until it has ended. */
export function keepRunning(runId: string, work: (signal: AbortSignal) => Promise<void>): void {
  const stop = new AbortController();
  const run = { stop, ended: Promise.resolve() };
  run.ended = work(stop.signal)
    .catch((error: unknown) => console.error(JSON.stringify({ level: "error", runId, message: String(error) })))
    .finally(() => {
      // It may have been resumed meanwhile, under the same id.
      if (running().byRunId.get(runId) === run) running().byRunId.delete(runId);
    });
  running().byRunId.set(runId, run);
}

/** Stops a run of this process and waits until its end is written; false when it is not run here. */
export async function stopRunning(runId: string, reason: StopRun): Promise<boolean> {
  const run = running().byRunId.get(runId);
  run?.stop.abort(reason);
  await run?.ended;
  return run !== undefined;
}

/** Ends every run of this process as interrupted, to be resumed by a person. */
export async function stopAllRuns(): Promise<void> {
  const reason = new StopRun("interrupted", "crdshift was shut down.");
  await Promise.all([...running().byRunId.keys()].map((runId) => stopRunning(runId, reason)));
}
