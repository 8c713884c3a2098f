import type { Connection } from "#lib/cluster/connection/connection.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { readRun } from "#lib/cluster/history/read-runs.ts";
import { AppError } from "#lib/contract/app-error.ts";
import { readableRecord } from "#lib/domain/record/rewrite-record.ts";
import { isLive, isOtherEngineAtWork, type Run } from "#lib/domain/rewrite/run.ts";
import { requireRunAccess } from "#lib/rewrite/guards/require-run-access.ts";
import { aboutToEnd, controlOf, holderName, type RunControl, untilBegun } from "#lib/rewrite/run/running.ts";

/**
 * The controls of a run in this process; one that is beginning has them once it has begun.
 * @throws AppError not_found, conflict if it does not run here, forbidden, precondition_failed, or cluster_timeout if it hangs as it
 * begins.
 */
export async function controlHere(connection: Connection, crdName: string, runId: string, signal: AbortSignal): Promise<RunControl> {
  await requireRunAccess(connection, crdName, runId, signal);
  const key = { crd: crdName, id: runId };
  await untilBegun(key);
  const run = await readRun(connection, crdName, runId, signal);
  if (isOtherEngineAtWork(run)) {
    throw new AppError("precondition_failed", "The cluster's own engine does this rewrite and can't be paused or slowed down.", {
      nextStep: "Wait for it to finish, or cancel the rewrite; the engine then continues on its own.",
      details: { run },
    });
  }
  // It may not have been here before.
  await requireRunAccess(connection, crdName, runId, signal);
  const control = controlOf(key);
  if (control === "ending" && isLive(run)) throw aboutToEnd(run);
  if (control !== null && control !== "ending") return control;
  if (isLive(run)) {
    if (isOwn(connection, crdName)) throw lostAsItBegan(run);
    throw new AppError("conflict", "Another crdshift is running this rewrite.", { nextStep: "Make the change there.", details: { run } });
  }
  throw new AppError("conflict", `The rewrite isn't active: ${run.phase}.`, {
    nextStep: run.phase === "interrupted" ? "Resume it first." : "There is nothing to change.",
    details: { run },
  });
}

function isOwn(connection: Connection, crdName: string): boolean {
  const crd = fleetOf(connection).crd(crdName);
  return crd !== null && readableRecord(crd)?.holder === holderName();
}

/** The error for a run whose record names this process, which never learned that it was written. */
function lostAsItBegan(run: Run): AppError {
  return new AppError("conflict", "The API server's answer was lost as this rewrite began, so nothing runs it.", {
    nextStep: "Cancel it. Or wait until it shows as interrupted, within 45 seconds, and resume it.",
    details: { run },
  });
}
