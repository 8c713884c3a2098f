import { z } from "zod";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { plainText } from "#lib/cluster/transport/plain-text.ts";
import { requestJson } from "#lib/cluster/transport/request.ts";
import type { MigrationApi, MigrationList } from "#lib/contract/rewrite/migration.ts";
import { time } from "#lib/contract/time.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { DELEGATE, type MigrationEngine, migrationEngines } from "#lib/domain/rewrite/engines.ts";
import { isNamedFor, type Migration, migrationProgress, newestMigrations } from "#lib/domain/rewrite/migration.ts";
import { formatCount } from "#lib/domain/wording/format-count.ts";
import { migrationPath, readMigrationApi, unservedBecause } from "./migration-apis.ts";

const PAGE_SIZE = 500;
/** There is one for every migration ever requested, until someone deletes it. */
const MOST = 20_000;

const listSchema = z.object({ metadata: z.object({ continue: z.string().optional() }), items: z.array(z.unknown()) });

export type MigrationApis = Record<MigrationEngine, MigrationApi>;

/** All StorageVersionMigrations, newest first, and which engines could be listed. */
export interface ListedMigrations {
  apis: MigrationApis;
  items: Migration[];
  /** RFC 3339. */
  asOf: string;
}

/** Which engines' APIs the cluster serves. */
export async function readMigrationApis(connection: Connection, signal: AbortSignal): Promise<MigrationApis> {
  const read = (engine: MigrationEngine) => readMigrationApi(connection, engine, signal);
  const [inTree, openshift] = await Promise.all([read("in-tree"), read("openshift")]);
  return { "in-tree": inTree, openshift };
}

/**
 * The StorageVersionMigrations of all engines. `apis` says which couldn't be listed completely. `known` skips discovery. Throws only
 * on abort.
 */
export async function listMigrations(connection: Connection, signal: AbortSignal, known?: MigrationApis): Promise<ListedMigrations> {
  const asOf = new Date().toISOString();
  const apis = { ...(known ?? (await readMigrationApis(connection, signal))) };
  const lists = await Promise.all(
    migrationEngines.map(async (engine) => {
      const api = apis[engine];
      if (api.status !== "served") return [];
      try {
        const { migrations, isWhole } = await listOf(connection, engine, api.version, signal);
        if (!isWhole) apis[engine] = { status: "failed", message: `There are more than ${formatCount(MOST)}.` };
        return migrations;
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

async function listOf(
  connection: Connection,
  engine: MigrationEngine,
  version: string,
  signal: AbortSignal,
): Promise<{ migrations: Migration[]; isWhole: boolean }> {
  const migrations: Migration[] = [];
  let next: string | undefined;
  for (let read = 0; read < MOST; read += PAGE_SIZE) {
    const query = new URLSearchParams({ limit: String(PAGE_SIZE), ...(next && { continue: next }) });
    const { json } = await requestJson(connection, { path: `${migrationPath(engine, version)}?${query}`, signal });
    const { metadata, items } = listSchema.parse(json);
    migrations.push(...items.flatMap((item) => readable(engine, item)));
    next = metadata.continue || undefined;
    if (!next) break;
  }
  return { migrations, isWhole: !next };
}

/** No one reads further back. */
const MOST_SHOWN = 500;

/** The StorageVersionMigrations of all engines, as a page shows them. Throws only on abort. */
export async function readMigrationList(connection: Connection, signal: AbortSignal): Promise<MigrationList> {
  const { apis, items, asOf } = await listMigrations(connection, signal);
  return { apis, ...newestMigrations(items, MOST_SHOWN), asOf };
}

/** Other engines' migrations of a definition right now, and whether the cluster's own could be listed. Throws only on abort. */
export async function readMigrationsOf(
  connection: Connection,
  crdName: string,
  signal: AbortSignal,
): Promise<Pick<Crd, "migrations" | "migrationsTold">> {
  const { apis, items } = await listMigrations(connection, signal);
  return { migrations: items.filter(({ resource }) => resource === crdName), migrationsTold: isTold(apis[DELEGATE]) };
}

/** Whether an engine's migrations are known: listed, or none because its API isn't served. */
export function isTold({ status }: { status: string }): boolean {
  return status === "served" || status === "not-served";
}

/** The annotation on a StorageVersionMigration that names the run that created it. */
export const RUN_ANNOTATION = "crdshift.dev/run";

const text = z.string().catch("");
// No reader understands a year beyond 9999.
const timeOrEmpty = time.catch("");

const schema = z.object({
  metadata: z.object({
    name: z.string(),
    uid: text,
    creationTimestamp: z.string(),
    annotations: z.record(z.string(), z.string()).catch({}),
  }),
  // The cluster's own engine names the group and resource; OpenShift's also names the version.
  spec: z.object({ resource: z.object({ group: text, resource: text }).catch({ group: "", resource: "" }) }),
  status: z
    .object({
      conditions: z
        .array(
          z.object({
            type: text,
            status: text,
            message: text.transform(plainText),
            lastTransitionTime: timeOrEmpty,
            // OpenShift's engine has no transition time.
            lastUpdateTime: timeOrEmpty,
          }),
        )
        .catch([]),
    })
    .catch({ conditions: [] }),
});

/** A StorageVersionMigration of either engine. Throws ZodError if it has no name, creation time or spec. */
export function migrationFromJson(engine: MigrationEngine, json: unknown): Migration {
  const { metadata, spec, status } = schema.parse(json);
  const { group, resource } = spec.resource;
  const run = metadata.annotations[RUN_ANNOTATION];
  const conditions = status.conditions.map(({ lastUpdateTime, ...condition }) => ({
    ...condition,
    lastTransitionTime: condition.lastTransitionTime || lastUpdateTime,
  }));
  return {
    engine,
    name: metadata.name,
    uid: metadata.uid,
    resource: group ? `${resource}.${group}` : resource,
    ...migrationProgress(conditions),
    createdAt: metadata.creationTimestamp,
    runId: engine === DELEGATE && run !== undefined && isNamedFor(metadata.name, run) ? run : null,
  };
}
