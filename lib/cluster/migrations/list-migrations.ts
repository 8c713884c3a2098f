import { z } from "zod";
import type { Connection } from "#lib/cluster/connection.ts";
import { requestJson } from "#lib/cluster/request.ts";
import type { MigrationApi, MigrationList } from "#lib/contract/migration.ts";
import { type Migration, type MigrationEngine, migrationEngines } from "#lib/domain/migration.ts";
import { migrationPath, readMigrationApi, unservedBecause } from "./migration-apis.ts";
import { migrationFromJson } from "./migration-from-json.ts";

/** There is one for each migration that somebody ever asked for; more than this of one engine nobody reads. */
const PAGE_SIZE = 500;
const MAX_PAGES = 4;

const listSchema = z.object({ metadata: z.object({ continue: z.string().optional() }), items: z.array(z.unknown()) });

export type MigrationApis = Record<MigrationEngine, MigrationApi>;

/** Which engines' APIs the cluster serves. */
export async function readMigrationApis(connection: Connection, signal: AbortSignal): Promise<MigrationApis> {
  const read = (engine: MigrationEngine) => readMigrationApi(connection, engine, signal);
  const [inTree, openshift] = await Promise.all([read("in-tree"), read("openshift")]);
  return { "in-tree": inTree, openshift };
}

/**
 * The StorageVersionMigrations of all engines, newest first, at most 2,000 of each. What could not be listed is told in `apis`.
 * `known` spares the discovery. Throws nothing but the abort.
 */
export async function listMigrations(connection: Connection, signal: AbortSignal, known?: MigrationApis): Promise<MigrationList> {
  const asOf = new Date().toISOString();
  const apis = { ...(known ?? (await readMigrationApis(connection, signal))) };
  const lists = await Promise.all(
    migrationEngines.map(async (engine) => {
      const api = apis[engine];
      if (api.status !== "served") return [];
      try {
        return await listOf(connection, engine, api.version, signal);
      } catch (error) {
        signal.throwIfAborted();
        apis[engine] = unservedBecause(error);
        return [];
      }
    }),
  );
  const items = lists.flat().sort((one, other) => Date.parse(other.createdAt) - Date.parse(one.createdAt));
  return { apis, items, asOf };
}

// One odd object must not hide the others.
function readable(engine: MigrationEngine, item: unknown): Migration[] {
  try {
    return [migrationFromJson(engine, item)];
  } catch {
    return [];
  }
}

async function listOf(connection: Connection, engine: MigrationEngine, version: string, signal: AbortSignal): Promise<Migration[]> {
  const migrations: Migration[] = [];
  let next: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const query = new URLSearchParams({ limit: String(PAGE_SIZE), ...(next && { continue: next }) });
    const { json } = await requestJson(connection, { path: `${migrationPath(engine, version)}?${query}`, signal });
    const { metadata, items } = listSchema.parse(json);
    migrations.push(...items.flatMap((item) => readable(engine, item)));
    next = metadata.continue || undefined;
    if (!next) break;
  }
  return migrations;
}
