import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet.ts";
import { noSuchRun, readRun } from "#lib/cluster/history/read-runs.ts";
import { AppError } from "#lib/contract/app-error.ts";
import { asOf, isLive, type Run } from "#lib/domain/rewrite/run.ts";
import { readableRecord } from "#lib/domain/rewrite/valid-proof.ts";
import { leaveAbandoned } from "#lib/rewrite/delegation/leave-abandoned.ts";
import { requireRunAccess } from "#lib/rewrite/guards/require-run-access.ts";
import { recordEnd } from "#lib/rewrite/record/record-action.ts";
import { updateRecord, writtenRun } from "#lib/rewrite/record/update-record.ts";
import { withoutWithdrawn } from "#lib/rewrite/record/without-withdrawn.ts";
import { audienceOf, holderName, stopRunning } from "#lib/rewrite/run/running.ts";
import { StopRun } from "#lib/rewrite/run/stop-run.ts";

const LOOK_WITHIN_MS = 5_000;

/**
 * Cancels a run. Once this returns, the run sends no more requests. Rewritten objects stay rewritten.
 * @throws AppError conflict if the run has ended or another crdshift holds it; cluster_unreachable if it stopped but that can't be recorded.
 */
export async function cancelRewrite(connection: Connection, crdName: string, runId: string, signal: AbortSignal): Promise<Run> {
  const run = await readRun(connection, crdName, runId, signal);
  if (!isLive(run) && run.phase !== "interrupted") {
    throw hasEnded(run);
  }
  await requireRunAccess(connection, crdName, runId, signal);
  const isStrangers = ![null, connection.audience].includes(audienceOf(runId));
  if (!(await stopRunning(runId, new StopRun("cancelled", "Cancelled.")))) await cancelAbandoned(connection, crdName, runId, signal);
  // Only the starter's connection has heard how the run ended; this one would learn it later, from its watch.
  if (isStrangers) fleetOf(connection).noteCrd((await readCrd(connection, crdName, signal)).crd);
  const cancelled = await readRun(connection, crdName, runId, signal);
  if (isLive(cancelled)) {
    if (await isHeldElsewhere(connection, crdName, runId, signal)) throw runsElsewhere(cancelled);
    // Without credentials or network the record stays as it was.
    throw new AppError(
      "cluster_unreachable",
      "The run has stopped, but crdshift can't record that: it shows as interrupted within 45 seconds.",
      {
        nextStep: "Sign in again or fix the network, then cancel or resume the run.",
        details: { run: cancelled },
      },
    );
  }
  return cancelled;
}

/** Whether another crdshift has taken over the run; false if that can't be read. */
async function isHeldElsewhere(connection: Connection, crdName: string, runId: string, signal: AbortSignal): Promise<boolean> {
  try {
    const { crd } = await readCrd(connection, crdName, AbortSignal.any([signal, AbortSignal.timeout(LOOK_WITHIN_MS)]));
    const record = readableRecord(crd);
    return record?.runs[0]?.id === runId && record.holder !== null && record.holder !== holderName();
  } catch {
    signal.throwIfAborted();
    return false;
  }
}

async function cancelAbandoned(connection: Connection, crdName: string, runId: string, signal: AbortSignal): Promise<void> {
  const written = await updateRecord(
    connection,
    crdName,
    (_crd, record) => {
      const [run, ...older] = record.runs;
      const now = Date.now();
      if (run?.id !== runId) {
        const one = older.find(({ id }) => id === runId);
        throw one ? hasEnded(asOf(one, now)) : noSuchRun(crdName, runId);
      }
      const current = asOf(run, now);
      // It may have ended since it was read above.
      if (!isLive(current) && current.phase !== "interrupted") throw hasEnded(current);
      if (isLive(current) && record.holder !== holderName()) throw runsElsewhere(run);
      const cancelled: Run = {
        ...run,
        phase: "cancelled",
        endedAt: new Date(now).toISOString(),
        statusReason: "Cancelled.",
        retryAt: null,
        ratePerSecond: null,
        etaSeconds: null,
        // The record of a run that went silent lacks its last patches and outcomes.
        sent: run.sent && { ...run.sent, atLeast: run.sent.atLeast || isLive(run) },
        rewrittenAtLeast: run.rewrittenAtLeast || isLive(run),
      };
      // Its own end may not have been written.
      return { ...withoutWithdrawn(connection, record), holder: null, runs: [cancelled, ...older] };
    },
    signal,
  );
  recordEnd(connection, writtenRun(written));
  await leaveAbandoned(connection, written, signal);
}

function runsElsewhere(run: Run): AppError {
  return new AppError("conflict", "Another crdshift is running this rewrite.", {
    nextStep: "Cancel it there, or stop that process and wait 45 seconds.",
    details: { run },
  });
}

function hasEnded(run: Run): AppError {
  return new AppError("conflict", `The run has already ended: ${run.phase}.`, {
    nextStep: "There is nothing to cancel.",
    details: { run },
  });
}
