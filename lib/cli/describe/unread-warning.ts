import type { OtherEngines } from "#lib/contract/rewrite/migration.ts";
import { type MigrationEngine, migrationApiOf } from "#lib/domain/rewrite/engines.ts";
import { DELETE_OLD_MIGRATIONS } from "#lib/domain/rewrite/unread-engines.ts";
import { localTime } from "#lib/domain/wording/local-time.ts";

/** That an engine's migrations weren't read, or not all of them, in time, and when they last were: `within` a duration in words. */
export function unreadWarning(
  engine: MigrationEngine,
  { api, asOf }: OtherEngines[MigrationEngine],
  { within, now }: { within: string; now: number },
): string {
  const which = `Warning: the migrations in ${migrationApiOf[engine].group}`;
  const lastListed = asOf === null ? "" : `, last listed ${localTime(asOf, now)},`;
  switch (api?.status) {
    case "incomplete":
      return `${which} were listed only in part: ${api.message} ${DELETE_OLD_MIGRATIONS}`;
    case "failed":
      return `${which}${lastListed} weren't read: ${api.message}`;
    default:
      return `${which}${lastListed} weren't read within ${within}.`;
  }
}
