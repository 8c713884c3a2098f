import type { Connection } from "#lib/cluster/connection/connection.ts";
import type { MigrationList } from "#lib/contract/rewrite/migration.ts";
import { newestMigrations } from "#lib/domain/rewrite/migration.ts";
import { listMigrations } from "./list-migrations.ts";

/** No one reads further back. */
const MOST_SHOWN = 500;

/** The StorageVersionMigrations of all engines, as a page shows them. Throws only on abort. */
export async function readMigrationList(connection: Connection, signal: AbortSignal): Promise<MigrationList> {
  const { apis, items, asOf } = await listMigrations(connection, signal);
  return { apis, ...newestMigrations(items, MOST_SHOWN), asOf };
}
