import type { Connection } from "#lib/cluster/connection/connection.ts";
import { noSuchRun, readRun } from "#lib/cluster/history/read-runs.ts";
import { readMigrationsOf } from "#lib/cluster/migrations/list-migrations.ts";
import { whoAmI } from "#lib/cluster/rights/read-rights.ts";
import { requirePatchRight } from "#lib/cluster/rights/require-patch-right.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { ResumeRewrite } from "#lib/contract/rewrite/run.ts";
import { storageVersion } from "#lib/domain/definition/crd.ts";
import { validDryRun } from "#lib/domain/record/valid-evidence.ts";
import { relistedStoredVersions, rewriteRefusal } from "#lib/domain/rewrite/refusals.ts";
import { asOf, isLive, type Run, TAKE_OVER_AFTER_MS, withInterruption, withReason } from "#lib/domain/rewrite/run.ts";
import { SUPERSEDED } from "#lib/domain/rewrite/run-verdict.ts";
import { refuseDelegation } from "#lib/rewrite/delegation/check-delegation.ts";
import { acceptLosses, refuseOtherDryRun, refuseUnacceptedLosses, stillAccepted } from "#lib/rewrite/guards/accept-losses.ts";
import { refuse } from "#lib/rewrite/guards/refuse.ts";
import { requireRunAccess } from "#lib/rewrite/guards/require-run-access.ts";
import { refuseRewriteWhileCleaning } from "#lib/rewrite/managed-fields/cleanings-here.ts";
import { countedAtLeast } from "#lib/rewrite/record/lost-runs.ts";
import { recordAction } from "#lib/rewrite/record/record-action.ts";
import { beginRun } from "#lib/rewrite/run/begin-run.ts";
import { caveatsOfStopped } from "#lib/rewrite/run/caveats-of-stopped.ts";
import type { RunKey } from "#lib/rewrite/run/run-key.ts";
import { aboutToEnd, controlOf, holderName, untilBegun, untilStopped } from "#lib/rewrite/run/running.ts";
import { readMigrationPhase } from "#lib/rewrite/run/unknown-writes.ts";
import { stopSilentRun } from "./stop-silent-run.ts";

const DENIED = { message: "You can't patch the definition, where crdshift records the rewrite." };

/**
 * Resumes a paused run, withdraws a pending pause, or resumes an interrupted run regardless of who held it. A resumed run skips objects
 * above the settle point and checks the rest again. `reason` is the reason for changing a protected definition. `onlyTakeBack` only
 * withdraws a pause that has not taken effect yet.
 * @throws AppError conflict if the run is active, has ended, or has no such pause; precondition_failed if nothing can be rewritten;
 * invalid_input for a consent to losses, unless the run was interrupted.
 */
export async function resumeRewrite(
  connection: Connection,
  crdName: string,
  runId: string,
  options: ResumeRewrite & { reason?: string | null; onlyTakeBack?: boolean; settleSeconds: number; signal: AbortSignal },
): Promise<Run> {
  await requireRunAccess(connection, crdName, runId, options.signal);
  const key = { crd: crdName, id: runId };
  await untilBegun(key);
  // It may have begun as another person's.
  await requireRunAccess(connection, crdName, runId, options.signal);
  // Never start the run twice in one process.
  if (!options.onlyTakeBack) await stopSilentRun(connection, key, DENIED, options.signal);
  await untilStopped(key);
  const reasonBy = options.reason ? await whoAmI(connection, options.signal) : null;
  // It may not have been here before.
  await requireRunAccess(connection, crdName, runId, options.signal);
  // No await from here until the run is told: its state must not change in between.
  const here = controlOf(key);
  const resumption = { kind: "resumed", run: runId, message: "The rewrite was resumed." } as const;
  if (here === "ending") {
    const run = await readRun(connection, crdName, runId, options.signal);
    throw isLive(run) ? aboutToEnd(run) : notToResume(run);
  }
  if (here) {
    if (here.pacer.paused() === "no") throw notToResume(here.publish());
    if (options.onlyTakeBack && here.pacer.paused() === "in-force") throw inForce(here.publish());
    if (options.acceptLosses || options.acceptUnseen || options.dryRun !== undefined) throw keepsItsConsent();
    const at = new Date().toISOString();
    if (options.reason && reasonBy !== null) here.noteReason({ text: options.reason, by: reasonBy, at });
    here.pacer.resume();
    recordAction(connection, crdName, { ...resumption, at });
    return here.publish();
  }
  if (options.onlyTakeBack) throw notToResume(await readRun(connection, crdName, runId, options.signal));
  // Before it counts as beginning: others' commands wait for that, and the API server would refuse it only then.
  await requirePatchRight(connection, crdName, DENIED, options.signal);
  const migrations = await readMigrationsOf(connection, crdName, options.signal);
  const migrationPhase = await readMigrationPhase(connection, crdName, runId, options.signal);
  const resumedBy = reasonBy ?? (await whoAmI(connection, options.signal));
  const run = await beginRun(connection, crdName, options, (crd, record, now) => {
    const [run, ...older] = record.runs;
    if (run?.id !== runId) {
      if (!older.some(({ id }) => id === runId)) throw noSuchRun(crdName, runId);
      throw new AppError("conflict", SUPERSEDED, { nextStep: "See the newest rewrite on the definition's page." });
    }
    if (asOf(run, now).phase !== "interrupted") throw isLive(run) ? notSilentYet(run, now) : notToResume(run);
    const refusal = rewriteRefusal({ ...crd, ...migrations }, now, runId);
    if (refusal) throw refuse(refusal);
    refuseRewriteWhileCleaning(connection, crd);
    const dryRun = validDryRun(crd);
    const accepted = acceptLosses(crd, resumedBy, options, run.ownership.keep);
    const earlier = stillAccepted(run.acceptedLosses, crd);
    if (run.delegation) refuseDelegation(crd, { acceptedLosses: accepted ?? earlier });
    if (accepted && options.dryRun !== undefined) refuseOtherDryRun(dryRun, options.dryRun);
    const resumed: Run = {
      ...run,
      acceptedLosses: accepted ?? earlier,
      dryRun: dryRun?.id ?? run.dryRun,
      storageVersion: storageVersion(crd)?.name ?? run.storageVersion,
      phase: "settling",
      takenOverAt: record.holder === null || record.holder === holderName() ? run.takenOverAt : new Date(now).toISOString(),
      // The list may have grown since: objects may be stored in any version that it ever held.
      delegation: run.delegation && {
        ...run.delegation,
        left: null,
        phase: migrationPhase === "unknown" || migrationPhase === null ? run.delegation.phase : migrationPhase,
        storedVersionsBefore: relistedStoredVersions(crd, run.delegation.storedVersionsBefore),
      },
      command: null,
      statusReason: null,
      interruptions: withInterruption(run),
      caveats: caveatsOfStopped(run, crd, record, migrationPhase),
      retryAt: null,
      endedAt: null,
      ...countedAtLeast(run),
      renewedAt: new Date(now).toISOString(),
      ...(options.reason && { reasons: withReason(run.reasons, { text: options.reason, by: resumedBy, at: new Date(now).toISOString() }) }),
    };
    refuseUnacceptedLosses(crd, dryRun, resumed);
    return { ...record, runs: [resumed, ...older] };
  });
  recordAction(connection, crdName, { ...resumption, at: run.renewedAt, by: resumedBy });
  return run;
}

// The holder may have just been killed; only its silence shows that.
function notSilentYet(run: Run, now: number): AppError {
  const seconds = Math.floor((Date.parse(run.renewedAt) + TAKE_OVER_AFTER_MS - now) / 1_000) + 1;
  return new AppError("conflict", `The rewrite was last reported as ${run.phase}.`, {
    nextStep: `You can resume it in ${seconds} ${seconds === 1 ? "second" : "seconds"}, unless the crdshift that holds it reports again by then.`,
    details: { run },
  });
}

function keepsItsConsent(): AppError {
  return new AppError("invalid_input", "A paused rewrite goes on with what was accepted when it began.", {
    nextStep: "Resume it without accepting more. If losses hold it back, accept them in a new rewrite.",
  });
}

function inForce(run: Run): AppError {
  return new AppError("conflict", "The rewrite is already paused.", { nextStep: "Resume the rewrite.", details: { run } });
}

function notToResume(run: Run): AppError {
  return new AppError("conflict", `The rewrite is ${run.phase}, not paused or interrupted.`, {
    nextStep: "You can only resume a paused or interrupted rewrite.",
    details: { run },
  });
}

/** Whether a run of this process has a pause that has not taken effect yet. */
export function isPausePending(key: RunKey): boolean {
  const control = controlOf(key);
  return control !== null && control !== "ending" && control.current().command === "pause";
}
