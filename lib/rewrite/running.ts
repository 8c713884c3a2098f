import { randomUUID } from "node:crypto";
import type { Run } from "#lib/domain/rewrite.ts";
import { processWide } from "#lib/process-wide.ts";
import type { Pacer } from "./pacer.ts";
import { stopAllPreflights } from "./preflight/preflights.ts";
import { StopRun } from "./stop-run.ts";

/** What a run that is at work here can be told. */
export interface RunControl {
  pacer: Pacer;
  /** Shows the run to everybody as it is now. */
  publish(): Run;
}

interface Running {
  control: RunControl;
  stop: AbortController;
  ended: Promise<void>;
}

/** What this process itself is running: only handles. What is true of a run says the CRD's annotation. */
interface RunningHere {
  /** Names this process in annotations. */
  readonly holder: string;
  readonly byRunId: Map<string, Running>;
}

function running(): RunningHere {
  return processWide("running", () => ({ holder: randomUUID(), byRunId: new Map() }));
}

export function holderName(): string {
  return running().holder;
}

/** Lets a run go on by itself, to be told or stopped by its id until it has ended. */
export function keepRunning(runId: string, control: RunControl, work: (signal: AbortSignal) => Promise<void>): void {
  const stop = new AbortController();
  const run: Running = { control, stop, ended: Promise.resolve() };
  running().byRunId.set(runId, run);
  run.ended = work(stop.signal)
    .catch((error: unknown) => console.error(JSON.stringify({ level: "error", runId, message: String(error) })))
    .finally(() => {
      // It may have been resumed meanwhile, under the same id.
      if (running().byRunId.get(runId) === run) running().byRunId.delete(runId);
    });
}

/** How to tell a run of this process something; null when it is not run here, or about to stop. */
export function controlOf(runId: string): RunControl | null {
  const run = running().byRunId.get(runId);
  return run && !run.stop.signal.aborted ? run.control : null;
}

/** Stops a run of this process and waits until its end is written; false when it is not run here. */
export async function stopRunning(runId: string, reason: StopRun): Promise<boolean> {
  const run = running().byRunId.get(runId);
  run?.stop.abort(reason);
  run?.control.publish();
  await run?.ended;
  return run !== undefined;
}

/** Ends every dry run of this process, and every run as interrupted, to be resumed by a person. */
export async function stopAllRuns(): Promise<void> {
  stopAllPreflights();
  const reason = new StopRun("interrupted", "crdshift was shut down.");
  await Promise.all([...running().byRunId.keys()].map((runId) => stopRunning(runId, reason)));
}
