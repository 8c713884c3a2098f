import type { Connection } from "#lib/cluster/connection/connection.ts";
import { deleteMigration, readMigration } from "#lib/cluster/migrations/in-tree-migration.ts";
import { findMigrationApi } from "#lib/cluster/migrations/migration-apis.ts";
import { DELEGATE } from "#lib/domain/rewrite/engines.ts";
import type { Delegation, Run } from "#lib/domain/rewrite/run.ts";

/** A condition's message may be longer than the whole record may be. */
const MAX_MESSAGE = 500;

/**
 * Abandons a run's StorageVersionMigration: deletes it if no controller has picked it up yet; otherwise it can't be stopped. Returns
 * what became of it. Never throws, because the run's end does not depend on it.
 */
export async function leaveMigration(
  connection: Connection,
  run: Pick<Run, "id">,
  { migration: name, phase }: Pick<Delegation, "migration" | "phase">,
  signal: AbortSignal,
): Promise<Pick<Delegation, "phase" | "left">> {
  if (phase === "succeeded" || phase === "failed") return { phase, left: null };
  try {
    const version = await findMigrationApi(connection, DELEGATE, signal);
    const now = version === null ? null : await readMigration(connection, version, name, signal);
    if (version === null || now?.runId !== run.id) return { phase, left: phase === null ? null : `${name} no longer exists.` };
    if (now.phase === "pending" && (await deleteMigration(connection, version, now, signal))) {
      return { phase: null, left: `${name} was deleted before any controller picked it up.` };
    }
    if (now.phase === "succeeded" || now.phase === "failed") return { phase: now.phase, left: null };
    return {
      phase: "running",
      left: `The cluster's own engine can't be stopped: ${name} continues, and shortens status.storedVersions when it ends.`,
    };
  } catch {
    return { phase, left: `crdshift can no longer read ${name}; it may continue on its own.` };
  }
}

/** A message, cut to fit into the record. */
export function shortened(message: string): string {
  return message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)} …` : message;
}
