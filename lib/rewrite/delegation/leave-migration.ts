import { isDeepStrictEqual } from "node:util";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { deleteMigration, readMigration } from "#lib/cluster/migrations/in-tree-migration.ts";
import { requireOwnApi } from "#lib/cluster/migrations/migration-apis.ts";
import { AppError, errorWords, isAppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { readableRecord } from "#lib/domain/record/rewrite-record.ts";
import { isUnread, unreadNote } from "#lib/domain/rewrite/known-migration.ts";
import { isMigrationOf } from "#lib/domain/rewrite/migration.ts";
import { type Delegation, mayHaveMigration, type Run } from "#lib/domain/rewrite/run.ts";
import { updateRecord, writtenRun } from "#lib/rewrite/record/update-record.ts";
import { repairStoredVersions } from "./repair-stored-versions.ts";

/** A condition's message may be longer than the whole record may be. */
const MAX_MESSAGE = 500;
const LEAVE_WITHIN_MS = 5_000;

/**
 * Abandons a run's StorageVersionMigration: deletes it if no controller has picked it up yet; otherwise it can't be stopped. Returns
 * what became of it. Never throws, because the run's end does not depend on it.
 */
export async function leaveMigration(
  connection: Connection,
  run: Pick<Run, "id" | "crd" | "settledAt">,
  { migration: name, phase }: Pick<Delegation, "migration" | "phase">,
  signal: AbortSignal,
): Promise<Pick<Delegation, "phase" | "left">> {
  if (phase === "succeeded" || phase === "failed") return { phase, left: null };
  return abandonMigration(connection, run, { migration: name, phase }, signal).catch(() => ({ phase, left: unreadNote(name) }));
}

/** Does what leaveMigration does, and throws the cluster's errors. */
export async function abandonMigration(
  connection: Connection,
  run: Pick<Run, "id" | "crd" | "settledAt">,
  { migration: name, phase }: Pick<Delegation, "migration" | "phase">,
  signal: AbortSignal,
): Promise<Pick<Delegation, "phase" | "left">> {
  if (!mayHaveMigration(run, phase)) return { phase, left: null };
  const version = await requireOwnApi(connection, signal);
  const now = await readMigration(connection, version, name, signal);
  if (now === null || !isMigrationOf(now, run)) return { phase, left: phase === null ? null : `${name} no longer exists.` };
  if (now.phase === "pending" && (await deleteMigration(connection, version, now, signal))) {
    return { phase: null, left: `${name} was deleted before any controller picked it up.` };
  }
  if (now.phase === "succeeded" || now.phase === "failed") return { phase: now.phase, left: null };
  return {
    phase: "running",
    left: `The cluster's own engine can't be stopped: ${name} continues, and shortens status.storedVersions when it ends.`,
  };
}

/**
 * Whether a run was cancelled without a word on its StorageVersionMigration, or with no more than that it couldn't be read: it may still be
 * there, since leaveAbandoned or leaveMigration may have failed.
 */
export function mayHaveLeft({ phase, delegation }: Pick<Run, "phase" | "delegation">): boolean {
  if (phase !== "cancelled" || !delegation || (delegation.left !== null && !isUnread(delegation))) return false;
  return delegation.phase !== "succeeded" && delegation.phase !== "failed";
}

/**
 * Does for a delegated run that has ended, by a cancel after its holder died or with its proof refused, what the holder does for others:
 * abandons the StorageVersionMigration, repairs status.storedVersions after it, and records both on the run. Takes no signal, because
 * whoever cancelled may be gone. `ended` is the definition as written.
 * @returns false if there was nothing to do.
 * @throws AppError if that can't be recorded.
 */
export async function leaveAbandoned(connection: Connection, ended: Crd): Promise<boolean> {
  const run = writtenRun(ended);
  if (!run.delegation) return false;
  const within = () => AbortSignal.timeout(LEAVE_WITHIN_MS);
  const left = { ...run.delegation, ...(await leaveMigration(connection, run, run.delegation, within())) };
  const isNewest = (newest: Run | undefined) => newest?.id === run.id;
  try {
    // Even if the record knows no migration: the holder's last write may be older than it.
    const delegation = await repairStoredVersions(
      connection,
      ended,
      { run, delegation: left },
      { isDue: (now) => isNewest(readableRecord(now)?.runs[0]), signal: within() },
    );
    if (isDeepStrictEqual(delegation, run.delegation)) return isUnread(delegation);
    await updateRecord(
      connection,
      ended.name,
      (_crd, record) => {
        const [newest, ...older] = record.runs;
        return newest && isNewest(newest) ? { ...record, runs: [{ ...newest, delegation }, ...older] } : record;
      },
      within(),
    );
    return true;
  } catch (error) {
    throw unrecorded(run.delegation, error);
  }
}

function unrecorded({ migration }: Delegation, error: unknown): AppError {
  const { code, details } = isAppError(error) ? error : { code: "cluster_timeout" as const };
  const message = `The rewrite is cancelled, but crdshift couldn't record what became of the StorageVersionMigration ${migration}.`;
  return new AppError(code, message, {
    nextStep: `Cancel it again over HTTP, or look yourself: kubectl get storageversionmigrations.storagemigration.k8s.io ${migration}`,
    ...{ clusterMessage: errorWords(error), cause: error, ...(details && { details }) },
  });
}

/** A message, cut to fit into the record. */
export function shortened(message: string): string {
  return message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)} …` : message;
}
