import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { AppError, shuttingDown } from "#lib/contract/app-error.ts";
import type { RewriteRecord } from "#lib/domain/record/rewrite-record.ts";
import { type GivenReason, isLive, type Run } from "#lib/domain/rewrite/run.ts";
import { logProblem } from "#lib/process-wide/log-problem.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";
import { beginShutdown, isShuttingDown } from "#lib/process-wide/shutdown.ts";
import { stopAllDryRuns } from "#lib/rewrite/dry-run/dry-runs.ts";
import type { Pacer } from "#lib/rewrite/pacing/pacer.ts";
import { endRecording, untilRecorded } from "#lib/rewrite/record/record-action.ts";
import { type RunKey, runKeyText } from "./run-key.ts";
import { StopRun } from "./stop-run.ts";
import { shutDownWork } from "./work-beside-runs.ts";

/** Whose credentials a run uses: those of the person who started or resumed it, who may have other tokens. As in Connection. */
interface RunUser {
  readonly audience: string;
  /** By clusterKey: a context may be pointed to another cluster while the run is here. */
  readonly cluster: string;
  readonly person: string;
}

/** The controls of a run in this process. */
export interface RunControl extends RunUser {
  /** What it sends its requests over. */
  readonly connection: Connection;
  /** Of the definition, also where the context leads to another address of its cluster. */
  readonly uid: string;
  pacer: Pacer;
  /** The run as it is now. */
  current(): Run;
  /** To be called before its record is read. Returns whether what was read is its record as it is now: that of a clone stands still. */
  expectRecord(): (record: RewriteRecord | null) => boolean;
  /** Publishes the run's current state. */
  publish(): Run;
  /** Adds a reason to the run; its next renewal records it. */
  noteReason(reason: GivenReason): void;
  /** Whether its work is done and only its end remains to be written. */
  ending: boolean;
}

interface Running {
  control: RunControl;
  stop: AbortController;
  ended: Promise<void>;
}

/** A run whose record is being written before it begins: others may see it before this process knows that it is written. */
export interface Beginning extends RunUser {
  readonly crd: string;
  /** Null until the record that is being written names it. */
  run: Run | null;
  /** Of the definition, with the run. */
  uid: string | null;
  /** Why it ends as soon as it begins; null if it goes on. */
  stop: StopRun | null;
  begun: Promise<unknown>;
}

/** Handles of the runs in this process. The definition's annotation holds their state. */
interface RunningHere {
  /** Names this process in annotations. */
  readonly holder: string;
  /** By runKeyText. */
  readonly byKey: Map<string, Running>;
  readonly beginning: Set<Beginning>;
}

/** A run keeps all definitions as its token lists them, even after the person's later tokens have taken that one's place. */
const MOST_TOKENS_OF_ONE = 8;
const BEGINS_WITHIN_MS = 3_000;
/** How long a command waits for a run that is beginning. */
const BEGUN_WITHIN_MS = 5_000;

function running(): RunningHere {
  return processWide("running", () => ({ holder: randomUUID(), byKey: new Map(), beginning: new Set() }));
}

export function holderName(): string {
  return running().holder;
}

/**
 * Begins a run of a definition for a connection's user.
 * @throws AppError conflict if this process is shutting down, too_many_requests if the person's runs use eight other tokens.
 */
export async function whileBeginning<Value>(
  of: RunUser & Pick<Beginning, "crd">,
  begin: (beginning: Beginning) => Promise<Value>,
): Promise<Value> {
  const { byKey, beginning } = running();
  if (isShuttingDown()) throw shuttingDown();
  const users: RunUser[] = [...[...byKey.values()].map(({ control }) => control), ...beginning];
  const tokens = new Set(users.filter(({ person }) => person === of.person).map(({ audience }) => audience));
  if (tokens.size >= MOST_TOKENS_OF_ONE && !tokens.has(of.audience)) throw tooManyTokens();
  const mine: Beginning = { ...of, run: null, uid: null, stop: null, begun: Promise.resolve() };
  beginning.add(mine);
  try {
    const begun = begin(mine);
    mine.begun = begun;
    return await begun;
  } finally {
    beginning.delete(mine);
  }
}

function beginningOf(key: RunKey): Beginning[] {
  const text = runKeyText(key);
  return [...running().beginning].filter(({ crd, run }) => run !== null && runKeyText({ crd, id: run.id }) === text);
}

function runningOf(key: RunKey): Running | undefined {
  return running().byKey.get(runKeyText(key));
}

/** Whether the run is beginning or running in this process. */
export function isHere(key: RunKey): boolean {
  return runningOf(key) !== undefined || beginningOf(key).length > 0;
}

/**
 * If the run is beginning in this process, waits until it has begun, or failed to; with `stop`, it then ends at once.
 * @throws AppError cluster_timeout after five seconds.
 */
export async function untilBegun(key: RunKey, stop: StopRun | null = null): Promise<void> {
  const { beginning } = running();
  const theirs = beginningOf(key);
  if (stop) for (const one of theirs) one.stop = stop;
  const begun = Promise.allSettled(theirs.map((one) => one.begun));
  await Promise.race([begun, setTimeout(BEGUN_WITHIN_MS, undefined, { ref: false })]);
  if (!theirs.some((one) => beginning.has(one))) return;
  const hasChangedSome = theirs.some(({ run }) => run !== null && (run.counts.rewritten > 0 || run.rewrittenAtLeast));
  const effect = stop
    ? `It is cancelled before it changes any ${hasChangedSome ? "more objects" : "object"}.`
    : "It can't be changed until then.";
  throw new AppError("cluster_timeout", `The API server hasn't confirmed yet that the rewrite has begun. ${effect}`, {
    nextStep: stop ? "Check in a minute. If the rewrite still shows as running, cancel it again." : "Try again in a moment.",
  });
}

/** Runs `work` in the background; until it ends, the run can be controlled and stopped by its key. With `ends`, it ends at once. */
export function keepRunning(
  key: RunKey,
  control: RunControl,
  work: (signal: AbortSignal) => Promise<void>,
  ends: StopRun | null = null,
): void {
  const stop = new AbortController();
  if (ends) stop.abort(ends);
  const run: Running = { control, stop, ended: Promise.resolve() };
  const { byKey } = running();
  const text = runKeyText(key);
  byKey.set(text, run);
  if (isShuttingDown()) stop.abort(shutDown());
  run.ended = work(stop.signal)
    .catch((error: unknown) => logProblem("error", { runId: key.id, message: String(error) }))
    .finally(() => {
      // It may have been resumed since, with the same key.
      if (byKey.get(text) === run) byKey.delete(text);
    });
}

/** The controls of a run of this process; `ending` if it no longer takes commands, null if it does not run here. */
export function controlOf(key: RunKey): RunControl | "ending" | null {
  const run = runningOf(key);
  if (!run) return null;
  return run.stop.signal.aborted || run.control.ending ? "ending" : run.control;
}

/**
 * Whose credentials a run of this process uses, and for which definition of which cluster, also as it begins: several people may resume it
 * at once. Empty if it does not run here.
 */
export function usersOf(key: RunKey): Pick<Beginning, "audience" | "cluster" | "uid">[] {
  const here = runningOf(key);
  return [...(here ? [here.control] : []), ...beginningOf(key)].map(({ audience, cluster, uid }) => ({ audience, cluster, uid }));
}

/** As RunControl's expectRecord; one that does not run here, or is only beginning, may have any record. */
export function expectRecordOf(key: RunKey): (record: RewriteRecord | null) => boolean {
  return runningOf(key)?.control.expectRecord() ?? (() => true);
}

/** The current state of all runs in this process. */
export function runsHere(): Run[] {
  return [...running().byKey.values()].map(({ control }) => control.current());
}

/** Stops a run of this process and waits until its end is written; false if it does not run here. */
export async function stopRunning(key: RunKey, reason: StopRun): Promise<boolean> {
  const run = runningOf(key);
  if (run) await stopAndWait(run, reason);
  return run !== undefined;
}

async function stopAndWait({ stop, control, ended }: Running, reason: StopRun): Promise<void> {
  stop.abort(reason);
  control.publish();
  await ended;
}

/** If the run is stopping in this process, waits until its end is written, or until it gives up writing one that is refused. */
export async function untilStopped(key: RunKey): Promise<void> {
  const run = runningOf(key);
  if (isEndRefused(key) && run?.control.current().phase === "interrupted") await stopAndWait(run, shutDown());
  if (run?.stop.signal.aborted) await run.ended;
}

/** Whether a run of this process has ended, as it shows, and the cluster refuses to record that; it still tries. */
function isEndRefused(key: RunKey): boolean {
  const control = runningOf(key)?.control;
  return control?.ending === true && !isLive(control.current());
}

/** Cancels every dry run of this process and interrupts every run, so that a person can resume it. */
export async function stopAllRuns(): Promise<void> {
  stopAllDryRuns();
  await Promise.all([...running().byKey.values()].map((run) => stopAndWait(run, shutDown())));
}

/** Like stopAllRuns, but final: no run can begin any more, one that is just beginning is interrupted, and cleanings and verifications end. */
export async function shutDownRuns(): Promise<void> {
  beginShutdown();
  endRecording();
  const begun = Promise.race([Promise.allSettled([...running().beginning].map(({ begun }) => begun)), setTimeout(BEGINS_WITHIN_MS)]);
  await Promise.all([stopAllRuns(), begun.then(stopAllRuns), shutDownWork()]);
  await untilRecorded();
}

function tooManyTokens(): AppError {
  return new AppError("too_many_requests", `Your rewrites use ${MOST_TOKENS_OF_ONE} tokens, which is the limit.`, {
    nextStep: "Wait until one ends, cancel one, or use one of their tokens.",
  });
}

function shutDown(): StopRun {
  return new StopRun("interrupted", "crdshift was shut down.");
}

/** The error for a command to a run whose end is being written. */
export function aboutToEnd(run: Run): AppError {
  return new AppError("conflict", "The rewrite is about to end.", { nextStep: "Check how it ended in a moment.", details: { run } });
}
