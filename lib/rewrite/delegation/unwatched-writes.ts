import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readRun } from "#lib/cluster/history/read-runs.ts";
import { readMigration } from "#lib/cluster/migrations/in-tree-migration.ts";
import { findMigrationApi } from "#lib/cluster/migrations/migration-apis.ts";
import { DELEGATE } from "#lib/domain/rewrite/engines.ts";
import type { MigrationPhase } from "#lib/domain/rewrite/migration.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";

/** The phase of a run's StorageVersionMigration right now; null if it has none. Throws the cluster's errors. */
export async function readMigrationPhase(
  connection: Connection,
  crdName: string,
  runId: string,
  signal: AbortSignal,
): Promise<MigrationPhase | null> {
  const { delegation } = await readRun(connection, crdName, runId, signal);
  if (!delegation) return null;
  const version = await findMigrationApi(connection, DELEGATE, signal);
  const migration = version === null ? null : await readMigration(connection, version, delegation.migration, signal);
  return migration?.runId === runId ? migration.phase : null;
}

/**
 * What to say of a stopped run whose StorageVersionMigration has been in the cluster's hands since: nobody saw what that engine's writes met.
 * Null if it has written nothing since, or losses were accepted unseen. `phase` is the migration's now.
 */
export function unwatchedWrites(run: Run, phase: MigrationPhase | "unknown" | null): string | null {
  const { delegation, acceptedLosses, endedAt, renewedAt } = run;
  if (!delegation || acceptedLosses?.unseen) return null;
  const hadEnded = delegation.phase === "succeeded" || delegation.phase === "failed";
  const hasNotBegun = phase === "pending" || (phase === null && delegation.phase === null);
  if (hadEnded || hasNotBegun) return null;
  return (
    `crdshift didn't watch what the cluster's own engine wrote after ${endedAt ?? renewedAt}, and that engine checks no object first. If the ` +
    "definition, mutating webhooks, or policies changed after that, objects may have lost fields: compare them with a backup."
  );
}
