import type { Connection } from "#lib/cluster/connection/connection.ts";
import { deleteMigration, readMigration } from "#lib/cluster/migrations/in-tree-migration.ts";
import { findMigrationApi } from "#lib/cluster/migrations/migration-apis.ts";
import type { Delegation, Run } from "#lib/domain/rewrite/run.ts";

/** A condition's message may be longer than all that the record may hold. */
const MAX_MESSAGE = 500;

/**
 * Leaves a run's StorageVersionMigration to itself: one that no controller has picked up is deleted, so that none does later; one that was
 * picked up can't be stopped. Gives what became of it. Never throws: how the run ends does not hang on it.
 */
export async function leaveMigration(
  connection: Connection,
  run: Pick<Run, "id">,
  { migration: name, phase }: Pick<Delegation, "migration" | "phase">,
  signal: AbortSignal,
): Promise<Pick<Delegation, "phase" | "left">> {
  if (phase === "succeeded" || phase === "failed") return { phase, left: null };
  try {
    const version = await findMigrationApi(connection, "in-tree", signal);
    const now = version === null ? null : await readMigration(connection, version, name, signal);
    if (version === null || now?.runId !== run.id) return { phase, left: phase === null ? null : `There is no ${name} any more.` };
    if (now.phase === "pending" && (await deleteMigration(connection, version, now, signal))) {
      return { phase: null, left: `${name} was deleted before any controller picked it up.` };
    }
    if (now.phase === "succeeded" || now.phase === "failed") return { phase: now.phase, left: null };
    return {
      phase: "running",
      left: `The cluster's own engine can't be stopped: ${name} goes on, and shortens status.storedVersions at its end.`,
    };
  } catch {
    return { phase, left: `${name} could not be looked at any more; it may go on by itself.` };
  }
}

/** A message as it fits into the record. */
export function shortened(message: string): string {
  return message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)} …` : message;
}
