import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readRun } from "#lib/cluster/history/read-runs.ts";
import { AppError } from "#lib/contract/app-error.ts";
import { isDelegated, isLive } from "#lib/domain/rewrite/run.ts";
import { requireRunAccess } from "#lib/rewrite/guards/require-run-access.ts";
import { aboutToEnd, controlOf, type RunControl } from "#lib/rewrite/run/running.ts";

/** How to tell a run something. Throws AppError not_found without such a run, conflict when it is not at work here, forbidden to who may not. */
export async function controlHere(connection: Connection, crdName: string, runId: string, signal: AbortSignal): Promise<RunControl> {
  const run = await readRun(connection, crdName, runId, signal);
  if (isDelegated(run)) {
    throw new AppError("precondition_failed", "The cluster's own engine rewrites for this run, and can't be paused or slowed down.", {
      nextStep: "Wait for it; or cancel the run, which leaves that engine to go on by itself.",
      details: { run },
    });
  }
  await requireRunAccess(connection, crdName, runId, signal);
  const control = controlOf(runId);
  if (control === "ending" && isLive(run)) throw aboutToEnd(run);
  if (control !== null && control !== "ending") return control;
  if (isLive(run)) {
    throw new AppError("conflict", "Another crdshift runs it.", { nextStep: "Tell it there.", details: { run } });
  }
  throw new AppError("conflict", `The run is not at work: ${run.phase}.`, {
    nextStep: run.phase === "interrupted" ? "Resume it first." : "There is nothing to change.",
    details: { run },
  });
}
