import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readRun } from "#lib/cluster/history/read-runs.ts";
import { readMigration } from "#lib/cluster/migrations/in-tree-migration.ts";
import { findMigrationApi } from "#lib/cluster/migrations/migration-apis.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { RewriteRecord } from "#lib/domain/record/rewrite-record.ts";
import { DELEGATE } from "#lib/domain/rewrite/engines.ts";
import { type CrdIdentity, crdIdentity, identityChange } from "#lib/domain/rewrite/identity.ts";
import { isMigrationOf, type MigrationPhase } from "#lib/domain/rewrite/migration.ts";
import { isLive, isOtherEngineAtWork, mayHaveMigration, type Run } from "#lib/domain/rewrite/run.ts";

const nobodyKnows = (whose: string) => `Nobody knows which objects ${whose} wrote last before its process ended without a word`;

/**
 * What to say of the last writes of a run whose process ended without a word, as when it was killed: the definition has changed since its
 * settle point, or webhooks and policies may have, and nobody knows whether these writes met that change. Null if the run recorded how it
 * ended, or wrote nothing. `whose` is what the run is to those who read it.
 */
export function unknownWrites(
  run: Run,
  crd: Crd,
  { settlePoint, generationSeen }: Pick<RewriteRecord, "settlePoint" | "generationSeen">,
  whose = "the rewrite",
): string | null {
  // Recorded before the first write.
  if (run.settleResourceVersion === null || !isLive(run)) return null;
  const known = settlePoint ?? begunWith(crd, generationSeen);
  const change = known && identityChange(crd, known);
  if (change === null) return unknownAdmission(run, whose);
  return (
    `${nobodyKnows(whose)}, and ${change} since ${settlePoint ? "its settle point" : "it began"}. ` +
    "If that was before these writes, fields that the new storage version lacks may be lost: compare with a backup."
  );
}

// The settle point is gone once an object disproves it. What the record notes as the run begins, it keeps.
function begunWith(crd: Crd, seen: RewriteRecord["generationSeen"]): CrdIdentity | null {
  const now = crdIdentity(crd);
  return now && seen && { ...now, generation: seen.generation };
}

// What it had read by its last renewal is recorded. What came after, and may be gone again, nothing shows.
function unknownAdmission(run: Run, whose: string): string | null {
  if (run.acceptedLosses?.unseen || isOtherEngineAtWork(run)) return null;
  return (
    `${nobodyKnows(whose)}, soon after ${run.renewedAt}. ` +
    "If mutating webhooks or policies changed just before, these objects may have lost fields: compare with a backup."
  );
}

/**
 * The phase of a run's StorageVersionMigration right now; null if it has none, "unknown" if an API server answers that doesn't serve it.
 * Throws the cluster's errors.
 */
export async function readMigrationPhase(
  connection: Connection,
  crdName: string,
  runId: string,
  signal: AbortSignal,
): Promise<MigrationPhase | "unknown" | null> {
  const run = await readRun(connection, crdName, runId, signal);
  const { delegation } = run;
  if (!delegation || !mayHaveMigration(run, delegation.phase)) return null;
  const version = await findMigrationApi(connection, DELEGATE, signal);
  if (version === null) return "unknown";
  const migration = await readMigration(connection, version, delegation.migration, signal);
  return migration && isMigrationOf(migration, { id: runId, crd: crdName }) ? migration.phase : null;
}

/**
 * What to say of a stopped run whose StorageVersionMigration has been in the cluster's hands since: nobody saw what that engine's writes
 * met. Null if it has written nothing since, or losses were accepted unseen. `phase` is the migration's now.
 */
export function unwatchedWrites(run: Run, phase: MigrationPhase | "unknown" | null): string | null {
  const { delegation, acceptedLosses, endedAt, renewedAt } = run;
  if (!delegation || acceptedLosses?.unseen) return null;
  const hadEnded = delegation.phase === "succeeded" || delegation.phase === "failed";
  const hasNotBegun = phase === "pending" || (phase === null && delegation.phase === null);
  if (hadEnded || hasNotBegun) return null;
  return (
    `crdshift didn't watch what the cluster's own engine wrote after ${endedAt ?? renewedAt}, and that engine doesn't check objects first. If the ` +
    "definition, mutating webhooks, or policies changed after that, objects may have lost fields: compare them with a backup."
  );
}
