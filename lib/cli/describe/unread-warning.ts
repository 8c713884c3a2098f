import type { OtherEngines } from "#lib/contract/rewrite/migration.ts";
import { type MigrationEngine, migrationApiOf } from "#lib/domain/rewrite/engines.ts";

/** That an engine's migrations weren't read, or not all of them, in time: `within` a duration in words. */
export function unreadWarning(engine: MigrationEngine, { api }: OtherEngines[MigrationEngine], within: string): string {
  const which = `Warning: the migrations in ${migrationApiOf[engine].group}`;
  switch (api?.status) {
    case "incomplete":
      return `${which} were listed only in part: ${api.message} Delete old StorageVersionMigrations.`;
    case "failed":
      return `${which} weren't read: ${api.message}`;
    default:
      return `${which} weren't read within ${within}.`;
  }
}
