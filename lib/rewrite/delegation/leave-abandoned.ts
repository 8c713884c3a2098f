import type { Connection } from "#lib/cluster/connection/connection.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import { readableRecord } from "#lib/domain/rewrite/valid-proof.ts";
import { repairStoredVersions } from "#lib/rewrite/commands/repair-stored-versions.ts";
import { updateRecord, writtenRun } from "#lib/rewrite/record/update-record.ts";
import { leaveMigration } from "./leave-migration.ts";

const LEAVE_WITHIN_MS = 5_000;

/**
 * Does for a delegated run that was cancelled after its holder died what the holder would have done: abandons the
 * StorageVersionMigration, repairs status.storedVersions after it, and records both on the run.
 * `cancelled` is the definition as written. Throws the cluster's errors.
 */
export async function leaveAbandoned(connection: Connection, cancelled: Crd, signal: AbortSignal): Promise<void> {
  const run = writtenRun(cancelled);
  if (!run.delegation) return;
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(LEAVE_WITHIN_MS)]);
  const left = { ...run.delegation, ...(await leaveMigration(connection, run, run.delegation, deadline)) };
  const isNewest = (newest: Run | undefined) => newest?.id === run.id;
  // Even if the record knows no migration: the holder's last write may be older than it.
  const delegation = await repairStoredVersions(
    connection,
    cancelled,
    { run, delegation: left },
    { isDue: (now) => isNewest(readableRecord(now)?.runs[0]), signal },
  );
  await updateRecord(
    connection,
    cancelled.name,
    (_crd, record) => {
      const [newest, ...older] = record.runs;
      return newest && isNewest(newest) ? { ...record, runs: [{ ...newest, delegation }, ...older] } : record;
    },
    signal,
  );
}
