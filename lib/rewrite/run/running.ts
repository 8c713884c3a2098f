import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { AppError } from "#lib/contract/app-error.ts";
import type { GivenReason } from "#lib/domain/record/given-reason.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import { logProblem } from "#lib/process-wide/log-problem.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";
import { stopAllDryRuns } from "#lib/rewrite/dry-run/dry-runs.ts";
import type { Pacer } from "#lib/rewrite/pacing/pacer.ts";
import { endRecording, untilRecorded } from "#lib/rewrite/record/record-action.ts";
import { StopRun } from "./stop-run.ts";

/** What a run that is at work here can be told. */
export interface RunControl {
  /** With whose credentials it works: those of whoever started or resumed it. */
  readonly audience: string;
  pacer: Pacer;
  /** The run as it is now. */
  current(): Run;
  /** Shows the run to everybody as it is now. */
  publish(): Run;
  /** Adds to the reasons of the run, which its next renewal writes down. */
  noteReason(reason: GivenReason): void;
  /** Whether its work is over, and nothing is left but to write how it ended. */
  ending: boolean;
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
  /** Runs whose record is being written before they begin. */
  readonly beginning: Set<Promise<unknown>>;
  shuttingDown: boolean;
}

const BEGINS_WITHIN_MS = 3_000;

function running(): RunningHere {
  return processWide("running", () => ({ holder: randomUUID(), byRunId: new Map(), beginning: new Set(), shuttingDown: false }));
}

export function holderName(): string {
  return running().holder;
}

/** Begins a run, unless this process is being shut down. Throws AppError conflict then. */
export async function whileBeginning<Value>(begin: () => Promise<Value>): Promise<Value> {
  const { beginning, shuttingDown } = running();
  if (shuttingDown) throw new AppError("conflict", "crdshift is being shut down.", { nextStep: "Start it again, then try again." });
  const begun = begin();
  beginning.add(begun);
  try {
    return await begun;
  } finally {
    beginning.delete(begun);
  }
}

/** Lets a run go on by itself, to be told or stopped by its id until it has ended. */
export function keepRunning(runId: string, control: RunControl, work: (signal: AbortSignal) => Promise<void>): void {
  const stop = new AbortController();
  const run: Running = { control, stop, ended: Promise.resolve() };
  running().byRunId.set(runId, run);
  if (running().shuttingDown) stop.abort(shutDown());
  run.ended = work(stop.signal)
    .catch((error: unknown) => logProblem("error", { runId, message: String(error) }))
    .finally(() => {
      // It may have been resumed meanwhile, under the same id.
      if (running().byRunId.get(runId) === run) running().byRunId.delete(runId);
    });
}

/** How to tell a run of this process something; `ending` when it is run here, but can't be told anything any more. Null elsewhere. */
export function controlOf(runId: string): RunControl | "ending" | null {
  const run = running().byRunId.get(runId);
  if (!run) return null;
  return run.stop.signal.aborted || run.control.ending ? "ending" : run.control;
}

/** With whose credentials a run of this process works; null where it is not run here. */
export function audienceOf(runId: string): string | null {
  return running().byRunId.get(runId)?.control.audience ?? null;
}

/** Which definition a run of this process is of; null where it is not run here. A path may name another one. */
export function definitionOf(runId: string): string | null {
  return running().byRunId.get(runId)?.control.current().crd ?? null;
}

/** The runs that are at work here, as they are now. */
export function runsHere(): Run[] {
  return [...running().byRunId.values()].map(({ control }) => control.current());
}

/** Stops a run of this process and waits until its end is written; false when it is not run here. */
export async function stopRunning(runId: string, reason: StopRun): Promise<boolean> {
  const run = running().byRunId.get(runId);
  run?.stop.abort(reason);
  run?.control.publish();
  await run?.ended;
  return run !== undefined;
}

/** Waits until a run that is about to stop here has written its end, if there is such a run. */
export async function untilStopped(runId: string): Promise<void> {
  const run = running().byRunId.get(runId);
  if (run?.stop.signal.aborted) await run.ended;
}

/** Ends every dry run of this process, and every run as interrupted, to be resumed by a person. */
export async function stopAllRuns(): Promise<void> {
  stopAllDryRuns();
  await Promise.all([...running().byRunId.keys()].map((runId) => stopRunning(runId, shutDown())));
}

/** stopAllRuns for good: none begins any more, and one that is just beginning ends likewise. */
export async function shutDownRuns(): Promise<void> {
  const here = running();
  here.shuttingDown = true;
  endRecording();
  const begun = Promise.race([Promise.allSettled(here.beginning), setTimeout(BEGINS_WITHIN_MS)]);
  await Promise.all([stopAllRuns(), begun.then(stopAllRuns)]);
  await untilRecorded();
}

function shutDown(): StopRun {
  return new StopRun("interrupted", "crdshift was shut down.");
}

/** The error of whoever tells a run something whose end is being written. */
export function aboutToEnd(run: Run): AppError {
  return new AppError("conflict", "The run is about to end.", { nextStep: "See in a moment how it ended.", details: { run } });
}
