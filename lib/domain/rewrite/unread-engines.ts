import { type MigrationEngine, migrationEngines } from "./engines.ts";

/** What to do where an engine has more migrations than are listed. */
export const DELETE_OLD_MIGRATIONS = "Delete old StorageVersionMigrations.";

/**
 * The engines that may be at work unseen: nobody has asked for their migrations lately, or not all could be read. One whose migrations may
 * not be listed counts as idle.
 */
export function unreadEngines(known: Record<MigrationEngine, { api: { status: string } | null }>): MigrationEngine[] {
  return migrationEngines.filter((engine) => {
    const { api } = known[engine];
    return api === null || api.status === "failed" || api.status === "incomplete";
  });
}
