import { clusterKey } from "#lib/cluster/connection/cluster-key.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { hasUnrecordedEnd } from "#lib/cluster/definitions/evidence/unrecorded-ends.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { readIntoFleet } from "#lib/cluster/fleet/read-into-fleet.ts";
import { noSuchRun, readRun } from "#lib/cluster/history/read-runs.ts";
import { whoAmI } from "#lib/cluster/rights/read-rights.ts";
import { AppError, isAppError } from "#lib/contract/app-error.ts";
import { knownUser } from "#lib/domain/audit/known-user.ts";
import { readableRecord } from "#lib/domain/record/rewrite-record.ts";
import { asOf, isLive, type Run, untoldCaveats } from "#lib/domain/rewrite/run.ts";
import { leaveAbandoned, mayHaveLeft } from "#lib/rewrite/delegation/leave-migration.ts";
import { requireRunAccess } from "#lib/rewrite/guards/require-run-access.ts";
import { countedAtLeast } from "#lib/rewrite/record/lost-runs.ts";
import { recordEnd } from "#lib/rewrite/record/record-action.ts";
import { updateRecord, writtenRun } from "#lib/rewrite/record/update-record.ts";
import { withoutWithdrawn } from "#lib/rewrite/record/without-withdrawn.ts";
import { caveatsOfStopped } from "#lib/rewrite/run/caveats-of-stopped.ts";
import type { RunKey } from "#lib/rewrite/run/run-key.ts";
import { holderName, isHere, stopRunning, untilBegun, usersOf } from "#lib/rewrite/run/running.ts";
import { StopRun } from "#lib/rewrite/run/stop-run.ts";
import { readMigrationPhase } from "#lib/rewrite/run/unknown-writes.ts";

const LOOK_WITHIN_MS = 5_000;
const RECORD_WITHIN_MS = 5_000;

/**
 * Cancels a run. Once this returns, the run sends no more requests. Rewritten objects stay rewritten. Can be repeated for a run whose
 * StorageVersionMigration may still be there.
 * @throws AppError conflict if the run has ended or another crdshift holds it; cluster_unreachable if it stopped but that can't be
 * recorded; cluster_timeout if it hangs as it begins: then it ends as soon as it has begun.
 */
export async function cancelRewrite(connection: Connection, crdName: string, runId: string, signal: AbortSignal): Promise<Run> {
  const run = await readRun(connection, crdName, runId, signal);
  if (!isLive(run) && run.phase !== "interrupted" && !mayHaveLeft(run)) {
    throw hasEnded(run);
  }
  const key = { crd: crdName, id: runId };
  let by: string | null = null;
  let isAsked = false;
  const seen = { elsewhere: false };
  const stop = () => {
    seen.elsewhere ||= isElsewhere(connection, key);
    if (!isStrangers(connection, key)) return new StopRun("cancelled", "Cancelled.");
    return new StopRun("cancelled", cancelledBy(by), { by });
  };
  const lacksName = () => !isAsked && needsName(connection, key);
  for (;;) {
    if (lacksName()) {
      by = knownUser(await whoAmI(connection, signal));
      // Only once, even if the cluster doesn't say: it would be asked while the run may change.
      isAsked = true;
    }
    // It may begin here at any time: someone resumes it. Nothing is awaited between asking for the right and stopping the run.
    await requireRunAccess(connection, crdName, runId, signal);
    if (lacksName()) continue;
    await untilBegun(key, stop());
    // It may have begun as another person's, or not at all.
    await requireRunAccess(connection, crdName, runId, signal);
    if (lacksName()) continue;
    if (await stopRunning(key, stop())) break;
    if (await cancelAbandoned(connection, key, by, signal)) break;
  }
  // Only the starter's connection has heard how the run ended; this one would learn it later, from its watch.
  if (seen.elsewhere) await readIntoFleet(connection, crdName, signal);
  const cancelled = await readRun(connection, crdName, runId, signal);
  const uid = fleetOf(connection).lastSeen(crdName)?.uid;
  const isUnrecorded = uid !== undefined && hasUnrecordedEnd(connection, uid, runId) && cancelled.phase === "interrupted";
  if (isLive(cancelled) || isUnrecorded) {
    const holder = await holderNow(connection, key, signal);
    if (holder === "another") throw runsElsewhere(cancelled);
    // Its own connection couldn't, but this one may.
    if (holder === "this" && (await isCancelledNow(connection, key, by, signal))) return readRun(connection, crdName, runId, signal);
    // Without credentials or network the record stays as it was.
    throw new AppError(
      "cluster_unreachable",
      `The rewrite has stopped, but crdshift can't record that: it shows as interrupted${isUnrecorded ? "" : " within 45 seconds"}.`,
      {
        nextStep: "Sign in again or fix the network, then cancel or resume the rewrite.",
        details: { run: cancelled },
      },
    );
  }
  return cancelled;
}

/** Whether it works here over another connection than this. */
function isElsewhere(connection: Connection, key: RunKey): boolean {
  return isStrangers(connection, key) || usersOf(key).some(({ cluster }) => cluster !== clusterKey(connection));
}

/** Whether it works here with other credentials than these. */
function isStrangers(connection: Connection, key: RunKey): boolean {
  return usersOf(key).some(({ audience }) => audience !== connection.audience);
}

/**
 * Whether to ask who cancels. Not for whoever cancels their own run, which works here, if the cluster hasn't said before: the run stops even if
 * the API server hangs.
 */
function needsName(connection: Connection, key: RunKey): boolean {
  const isOwn = (connection.renewable || isHere(key)) && !isStrangers(connection, key);
  return !isOwn || connection.userName() !== null;
}

/** Why a run ended that isn't the canceller's own, or may not be. */
function cancelledBy(by: string | null): string {
  return `Cancelled by ${by ?? "somebody whom the cluster doesn't name"}.`;
}

/** Which crdshift the record says holds the run: none once it has ended; unknown if that can't be read. */
async function holderNow(connection: Connection, key: RunKey, signal: AbortSignal): Promise<"this" | "another" | "none" | "unknown"> {
  try {
    const { crd } = await readCrd(connection, key.crd, AbortSignal.any([signal, AbortSignal.timeout(LOOK_WITHIN_MS)]));
    const record = readableRecord(crd);
    if (record?.runs[0]?.id !== key.id || record.holder === null) return "none";
    return record.holder === holderName() ? "this" : "another";
  } catch {
    signal.throwIfAborted();
    return "unknown";
  }
}

/** Whether its end, which its own connection couldn't record, is recorded over this one. */
async function isCancelledNow(connection: Connection, key: RunKey, by: string | null, signal: AbortSignal): Promise<boolean> {
  try {
    return await cancelAbandoned(connection, key, by, AbortSignal.any([signal, AbortSignal.timeout(RECORD_WITHIN_MS)]), {
      hasStopped: true,
    });
  } catch (error) {
    signal.throwIfAborted();
    if (isAppError(error) && error.code === "forbidden") throw error;
    return false;
  }
}

/**
 * Writes the end of a run that nobody runs, and leaves its StorageVersionMigration, which it does again if that may have failed. False, with
 * nothing written, if the run begins in this process meanwhile. With `hasStopped`, this cancel is what interrupted it.
 */
async function cancelAbandoned(
  connection: Connection,
  key: RunKey,
  by: string | null,
  signal: AbortSignal,
  { hasStopped = false } = {},
): Promise<boolean> {
  const { crd: crdName, id: runId } = key;
  const seen = { here: false, cancelled: false };
  const looking = AbortSignal.any([signal, AbortSignal.timeout(LOOK_WITHIN_MS)]);
  const migrationPhase = await readMigrationPhase(connection, crdName, runId, looking).catch(() => "unknown" as const);
  const written = await updateRecord(
    connection,
    crdName,
    (crd, record) => {
      const [run, ...older] = record.runs;
      const now = Date.now();
      if (run?.id !== runId) {
        const one = older.find(({ id }) => id === runId);
        throw one ? hasEnded(asOf(one, now)) : noSuchRun(crdName, runId);
      }
      const current = asOf(run, now);
      seen.cancelled = mayHaveLeft(current);
      if (seen.cancelled) return record;
      // It may have ended since it was read above.
      if (!isLive(current) && current.phase !== "interrupted") throw hasEnded(current);
      seen.here = isHere(key);
      if (seen.here) return record;
      if (isLive(current) && record.holder !== holderName()) throw runsElsewhere(run);
      const isOwn = connection.renewable || by === run.startedBy;
      const caveats = caveatsOfStopped(run, crd, record, migrationPhase);
      const cancelled: Run = {
        ...run,
        caveats,
        phase: "cancelled",
        endedAt: new Date(now).toISOString(),
        statusReason: [
          isOwn ? "Cancelled." : cancelledBy(by),
          ...reasonsBefore(hasStopped || run.endedAt === null ? null : run.statusReason, caveats),
        ].join(" "),
        retryAt: null,
        ratePerSecond: null,
        etaSeconds: null,
        ...countedAtLeast(run),
      };
      // Its own end may not have been written.
      return { ...withoutWithdrawn(connection, record), holder: null, runs: [cancelled, ...older] };
    },
    signal,
  );
  if (seen.here) return false;
  if (!seen.cancelled) recordEnd(connection, writtenRun(written));
  const hasLeft = await leaveAbandoned(connection, written);
  if (seen.cancelled && !hasLeft) throw hasEnded(writtenRun(written));
  return true;
}

// The reason of its end also tells what it left in managedFields.
function reasonsBefore(interruptedBecause: string | null, caveats: string[]): string[] {
  const before = interruptedBecause === null ? [] : [`It was interrupted before: ${interruptedBecause}`];
  return [...before, ...untoldCaveats({ caveats, statusReason: interruptedBecause })];
}

function runsElsewhere(run: Run): AppError {
  return new AppError("conflict", "Another crdshift is running this rewrite.", {
    nextStep: "Cancel it there, or stop that process and wait 45 seconds.",
    details: { run },
  });
}

function hasEnded(run: Run): AppError {
  return new AppError("conflict", `The rewrite has already ended: ${run.phase}.`, {
    nextStep: "There is nothing to cancel.",
    details: { run },
  });
}
