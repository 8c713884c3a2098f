import { sleep } from "#lib/async/sleep.ts";
import { checkEngineOptions, checkedOptions } from "#lib/cli/arguments/checked-options.ts";
import { type ClusterInvocation, seeHelp, usage } from "#lib/cli/arguments/parse-arguments.ts";
import type { CommandContext } from "#lib/cli/command-context.ts";
import { describeRun, hasLostProof } from "#lib/cli/describe/describe-run.ts";
import { type ExitCode, exitCodeOfRun, exitCodes, holdsLosses } from "#lib/cli/exit-codes.ts";
import { findDefinition } from "#lib/cli/find-definition.ts";
import { tryCountManagedFields } from "#lib/cli/try-count-managed-fields.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { readIntoFleet } from "#lib/cluster/fleet/read-into-fleet.ts";
import { readRun } from "#lib/cluster/history/read-runs.ts";
import { AppError, isAppError } from "#lib/contract/app-error.ts";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import { type Run, resumeRewriteSchema, startRewriteSchema } from "#lib/contract/rewrite/run.ts";
import { delegates } from "#lib/domain/rewrite/engines.ts";
import { isLive } from "#lib/domain/rewrite/run.ts";
import { canResume } from "#lib/domain/rewrite/run-verdict.ts";
import { cancelRewrite } from "#lib/rewrite/commands/cancel-rewrite.ts";
import { resumeRewrite } from "#lib/rewrite/commands/resume-rewrite.ts";
import { startRewrite } from "#lib/rewrite/commands/start-rewrite.ts";
import { controlOf, type RunControl, shutDownRuns } from "#lib/rewrite/run/running.ts";
import { readEnv } from "#lib/settings/env.ts";
import { untilOnRecord } from "./until-on-record.ts";

const CANCEL_WITHIN_MS = 30_000;
const READ_WITHIN_MS = 10_000;

/** Runs `rewrite`: starts or resumes a run and follows it until it ends or a signal stops it. */
export async function rewrite(invocation: ClusterInvocation, context: CommandContext): Promise<ExitCode> {
  const { connection, output, stop } = context;
  const begin = beginning(invocation, context);
  const name = await findDefinition(invocation, context);
  let run = await begin(name);
  let isStopped = false;
  try {
    for await (const now of followRun(connection, name, run.id, stop.signal)) {
      run = now;
      output.progress({ event: "run", data: run });
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    isStopped = true;
    run = await stopped(run, context);
  }
  // Of a run that another crdshift has taken over, whether its last writes were stored. Nobody else finds that out.
  await untilOnRecord(context, "Checking what the last writes have stored.");
  const after = isStopped && isUnended(run) ? { run, crd: null } : await afterwards(run, context);
  return tell(after, context);
}

async function tell({ run, crd }: Afterwards, { output, stop, program }: CommandContext): Promise<ExitCode> {
  await output.result(run, describeRun(run, { leftovers: crd?.leftoverVersions ?? null, program, crd }));
  if (run.phase === "interrupted" && stop.kind() === "shut-down") return exitCodes.terminated;
  if (isSuperseded(run, crd)) return exitCodes.conflict;
  // A process that was suspended after its proof may wake up long after a change of the definition.
  return hasLostProof(run, crd) ? exitCodes.failed : exitCodeOfRun(run);
}

function isUnended(run: Run): boolean {
  return isLive(run) || run.phase === "interrupted";
}

function isSuperseded({ id, phase }: Run, crd: CrdDetail | null): boolean {
  return phase === "interrupted" && crd !== null && crd.run?.id !== id;
}

// Checks the options before contacting the cluster.
function beginning(invocation: ClusterInvocation, { connection, stop, program }: CommandContext): (name: string) => Promise<Run> {
  const { resume, ...others } = invocation.options;
  const { signal } = stop;
  const settleSeconds = readEnv().CRDSHIFT_SETTLE_SECONDS;
  if (resume !== true) {
    const options = checkedOptions(invocation, startRewriteSchema, program);
    checkEngineOptions(options, program);
    return async (name) => {
      // The run's Events refer to the definition as read here.
      await readDetail(connection, name, signal);
      return namingLossOptions(() => startRewrite(connection, name, { ...options, settleSeconds, signal }), !delegates(options.engine));
    };
  }
  const other = Object.keys(others).find((name) => name !== "accept-losses" && name !== "accept-unseen");
  if (other !== undefined) {
    throw usage(`--${other} can't be used with --resume: the run keeps its own options.`, seeHelp("rewrite", program));
  }
  const options = checkedOptions(invocation, resumeRewriteSchema, program);
  return async (name) => {
    const { run } = await readDetail(connection, name, signal);
    if (!run) throw new AppError("not_found", `${name} has no rewrite to resume.`, { nextStep: "Start one without --resume." });
    if (!isLive(run) && !canResume(run, run.id)) {
      const message = `The latest rewrite of ${name} is ${run.phase}, not interrupted: there is nothing to resume.`;
      throw new AppError("precondition_failed", message, { nextStep: "Start a new one without --resume." });
    }
    return namingLossOptions(() => resumeRewrite(connection, name, run.id, { ...options, settleSeconds, signal }), false);
  };
}

interface Afterwards {
  run: Run;
  /** Null if it isn't known, or if the run is still to be resumed or goes on elsewhere. */
  crd: CrdDetail | null;
}

/**
 * The run and its definition, read again: another engine may have shortened the list, and if this process slept, another crdshift may have
 * taken the run over or started a newer one, before any watch tells. A failed read does not fail the rewrite.
 */
async function afterwards(last: Run, { connection }: CommandContext): Promise<Afterwards> {
  const { crd: name, id } = last;
  const signal = AbortSignal.timeout(READ_WITHIN_MS);
  try {
    await readIntoFleet(connection, name, signal);
    // The record keeps only the newest runs.
    const run = isUnended(last) ? await readRun(connection, name, id, signal).catch(() => last) : last;
    // Server-side apply may fail for objects that are proven, and then that comes next.
    if (run.phase === "succeeded") await tryCountManagedFields(connection, name, signal);
    const crd = await readDetail(connection, name, signal);
    return { run, crd: isUnended(run) && !isSuperseded(run, crd) ? null : crd };
  } catch {
    return { run: last, crd: null };
  }
}

/** The run after it stops as requested, or ends just before. */
async function stopped(run: Run, { connection, output, stop }: CommandContext): Promise<Run> {
  if (stop.kind() === "shut-down") {
    output.notice("Stopping. You can resume the rewrite.");
    await shutDownRuns();
  } else {
    const kept = run.counts.rewritten > 0 ? " Rewritten objects stay rewritten." : "";
    output.notice(`Cancelling.${kept} To stop immediately and leave the rewrite interrupted, press Ctrl-C again.`);
    try {
      return await cancelRewrite(connection, run.crd, run.id, AbortSignal.timeout(CANCEL_WITHIN_MS));
    } catch (error) {
      if (!(isAppError(error) && error.code === "conflict")) throw error;
    }
  }
  const now = await readRun(connection, run.crd, run.id, AbortSignal.timeout(READ_WITHIN_MS));
  // Its end isn't on record yet, and the record may be a renewal behind what was told.
  return isLive(now) && controlOf(now) !== null ? { ...run, rewrittenAtLeast: true } : now;
}

/** Runs an action that losses may refuse; the refusal then names the options that accept them. */
async function namingLossOptions<Value>(act: () => Promise<Value>, canKeepOwnership: boolean): Promise<Value> {
  try {
    return await act();
  } catch (error) {
    if (!isAppError(error) || !holdsLosses(error)) throw error;
    const { code, message, nextStep, clusterMessage, details } = error;
    const options = lossOptions(details, canKeepOwnership);
    throw new AppError(code, message, {
      nextStep: [nextStep, options && `On the command line: ${options}.`].filter(Boolean).join(" "),
      ...{ clusterMessage, cause: error },
      ...(details && { details }),
    });
  }
}

function lossOptions(details: AppError["details"], canKeepOwnership: boolean): string {
  const isListed = !Array.isArray(details?.losses) || details.losses.length > 0;
  return [
    ...(isListed ? ["--accept-losses for the listed losses"] : []),
    ...(isListed && canKeepOwnership ? ["--keep-ownership for managedFields"] : []),
    ...(typeof details?.unknownBecause === "string" ? ["--accept-unseen for what is unknown"] : []),
  ].join(", ");
}

const LOOK_EVERY_MS = 250;

/**
 * Yields a run of this process repeatedly until it ends or leaves this process. In the second case the last one still looks live:
 * another crdshift took it over, or its end could not be written. While the cluster refuses to record its end, it is yielded as it ended,
 * and the end when the definition is gone is yielded too, which no record has.
 */
async function* followRun(connection: Connection, crdName: string, runId: string, signal: AbortSignal): AsyncGenerator<Run> {
  const key = { crd: crdName, id: runId };
  const control = controlOf(key);
  for (;;) {
    // Checked before reading: once the run has left this process, the next read shows how it ended.
    const isHere = controlOf(key) !== null;
    try {
      const run = await readRun(connection, crdName, runId, signal);
      yield run;
      if (!isHere) return;
    } catch (error) {
      if (!(isAppError(error) && error.code === "not_found") || control === null || control === "ending") throw error;
      if (!isHere) return yield lastOf(control, error);
    }
    await sleep(LOOK_EVERY_MS, signal);
  }
}

// Of a run that no record has any more. Throws `error` if that isn't how it ended.
function lastOf(control: RunControl, error: unknown): Run {
  const run = control.current();
  if (isLive(run)) throw error;
  return run;
}
