import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readRun } from "#lib/cluster/history/read-runs.ts";
import { AppError } from "#lib/contract/app-error.ts";
import { isLive, isOtherEngineAtWork } from "#lib/domain/rewrite/run.ts";
import { requireRunAccess } from "#lib/rewrite/guards/require-run-access.ts";
import { aboutToEnd, controlOf, type RunControl } from "#lib/rewrite/run/running.ts";

/** The controls of a run in this process. Throws AppError not_found, conflict if it does not run here, forbidden, or precondition_failed. */
export async function controlHere(connection: Connection, crdName: string, runId: string, signal: AbortSignal): Promise<RunControl> {
  const run = await readRun(connection, crdName, runId, signal);
  if (isOtherEngineAtWork(run)) {
    throw new AppError("precondition_failed", "The cluster's own engine does this rewrite and can't be paused or slowed down.", {
      nextStep: "Wait for it to finish, or cancel the run; the engine then continues on its own.",
      details: { run },
    });
  }
  await requireRunAccess(connection, crdName, runId, signal);
  const control = controlOf(runId);
  if (control === "ending" && isLive(run)) throw aboutToEnd(run);
  if (control !== null && control !== "ending") return control;
  if (isLive(run)) {
    throw new AppError("conflict", "Another crdshift is running this rewrite.", { nextStep: "Make the change there.", details: { run } });
  }
  throw new AppError("conflict", `The run isn't active: ${run.phase}.`, {
    nextStep: run.phase === "interrupted" ? "Resume it first." : "There is nothing to change.",
    details: { run },
  });
}
