import { z } from "zod";
import { inTurn, noTurns } from "#lib/async/in-turn.ts";
import { mapInShortTurns } from "#lib/async/map-in-short-turns.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { boundedList } from "#lib/cluster/transport/bounded-list.ts";
import { boundedText } from "#lib/cluster/transport/bounded-text.ts";
import { clusterAnswer, withAnswer } from "#lib/cluster/transport/cluster-answer.ts";
import { requestJson } from "#lib/cluster/transport/request.ts";
import { retryWhileBusy } from "#lib/cluster/transport/retry-while-busy.ts";
import { halvedWhileTooLarge, nextLimit, PAGE_MAX_BYTES } from "#lib/cluster/transport/whole-answer.ts";
import { AppError, errorWords, isAppError } from "#lib/contract/app-error.ts";
import type { MigrationApi, MigrationList } from "#lib/contract/rewrite/migration.ts";
import { time } from "#lib/contract/time.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { DELEGATE, type MigrationEngine, migrationApiOf, migrationEngines } from "#lib/domain/rewrite/engines.ts";
import { byNewest, isNamedFor, type Migration, migrationProgress, newestMigrations } from "#lib/domain/rewrite/migration.ts";
import { formatCount } from "#lib/domain/wording/format-count.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";
import { apiStatusOf, findMigrationApi, migrationPath, notServedHere, readMigrationApi, wasServedLately } from "./migration-apis.ts";
import { sharedMigration } from "./shared-migration.ts";

const PAGE_SIZE = 500;
/** There is one for every migration ever requested, until someone deletes it. */
const MOST = 20_000;
const TOO_MANY = `There are more than ${formatCount(MOST)}.`;

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
        if (!isWhole) apis[engine] = { ...api, status: "incomplete", message: TOO_MANY };
        return migrations;
      } catch (error) {
        signal.throwIfAborted();
        apis[engine] = apiStatusOf(error);
        return [];
      }
    }),
  );
  const items = lists.flat().sort(byNewest);
  return { apis, items, asOf };
}

// One odd object must not hide the others.
function readable(engine: MigrationEngine, item: unknown): Migration[] {
  try {
    return [sharedMigration(migrationFromJson(engine, item))];
  } catch {
    return [];
  }
}

/** With `resource`, only those of that one count and are kept, however many others there are. */
async function listOf(
  connection: Connection,
  engine: MigrationEngine,
  version: string,
  signal: AbortSignal,
  resource: string | null = null,
): Promise<{ migrations: Migration[]; isWhole: boolean }> {
  const migrations: Migration[] = [];
  let next: string | undefined;
  let limit = PAGE_SIZE;
  let read = 0;
  do {
    const { json, bytes } = await halvedWhileTooLarge(limit, (fitting) => {
      limit = fitting;
      const query = new URLSearchParams({ limit: String(limit), ...(next && { continue: next }) });
      const path = `${migrationPath(engine, version)}?${query}`;
      return requestJson(connection, { path, signal, ...(limit > 1 && { maxBytes: PAGE_MAX_BYTES }) });
    });
    const { metadata, items } = listSchema.parse(json);
    const all = (await mapInShortTurns(items, (item) => readable(engine, item), { person: connection.person(), signal })).flat();
    const kept = all.filter((one) => resource === null || one.resource === resource);
    migrations.push(...kept);
    read += resource === null ? items.length : kept.length;
    limit = nextLimit(limit, { items: items.length, bytes });
    next = metadata.continue || undefined;
  } while (next && read < MOST);
  return { migrations, isWhole: !next };
}

/** No one reads further back. */
const MOST_SHOWN = 500;
/** Each may take two seconds, and one person can ask for many. None for all together: nobody waits for another cluster's. */
const MOST_LISTS_OF_PERSON = 4;

/** The StorageVersionMigrations of all engines, as a page shows them. Throws only on abort. */
export async function readMigrationList(connection: Connection, signal: AbortSignal): Promise<MigrationList> {
  const turns = processWide("migration-lists", () => noTurns(Number.POSITIVE_INFINITY));
  const place = { person: connection.person(), mostAtWork: MOST_LISTS_OF_PERSON };
  const { apis, items, asOf } = await inTurn(turns, place, signal, () => listMigrations(connection, signal));
  const told = (engine: MigrationEngine) => failedIfServedLately(connection, engine, apis[engine]);
  return { apis: { "in-tree": told("in-tree"), openshift: told("openshift") }, ...newestMigrations(items, MOST_SHOWN), asOf };
}

// The API server that answered may be of another release, and the engine at work all the same.
function failedIfServedLately(connection: Connection, engine: MigrationEngine, api: MigrationApi): MigrationApi {
  if (api.status !== "not-served" || !wasServedLately(connection, engine)) return api;
  return { status: "failed", message: notServedHere(migrationApiOf[engine].group).message };
}

/**
 * Other engines' migrations of a definition right now, newest first, to decide by, and whether the cluster's own could be listed. An engine
 * counts as idle if its API isn't served or its migrations may not be listed.
 * @throws AppError if an engine's migrations can't be listed for another reason: one that isn't seen may be at work.
 */
export async function readMigrationsOf(
  connection: Connection,
  crdName: string,
  signal: AbortSignal,
): Promise<Pick<Crd, "migrations" | "migrationsListed">> {
  const listed = await Promise.all(migrationEngines.map((engine) => readOrIdle(connection, engine, crdName, signal)));
  const migrations = listed.flatMap((of) => of ?? []);
  const migrationsListed = listed[migrationEngines.indexOf(DELEGATE)] !== null;
  return { migrations: migrations.sort(byNewest), migrationsListed };
}

/** An engine's migrations of a definition; null if they may not be listed, or an API server answers that doesn't serve them. */
async function readOrIdle(
  connection: Connection,
  engine: MigrationEngine,
  crdName: string,
  signal: AbortSignal,
): Promise<Migration[] | null> {
  const whereNotServed = () => (wasServedLately(connection, engine) ? null : []);
  const read = async () => {
    const version = await findMigrationApi(connection, engine, signal);
    if (version === null) return whereNotServed();
    const { migrations, isWhole } = await listOf(connection, engine, version, signal, crdName);
    if (!isWhole) throw new AppError("cluster_rejected", TOO_MANY);
    return migrations;
  };
  try {
    return await retryWhileBusy(read, signal);
  } catch (error) {
    signal.throwIfAborted();
    const answer = clusterAnswer(error);
    if (answer?.status === 404) return whereNotServed();
    if (answer?.status === 403 && !answer.isEarlyDenial) return null;
    if (!isAppError(error) || error.code === "unauthenticated") throw error;
    const unknown = new AppError(error.code, "crdshift couldn't check whether another engine is migrating the objects.", {
      nextStep: `Try again. If it still fails, find out why ${migrationApiOf[engine].group} can't be listed.`,
      clusterMessage: errorWords(error),
      cause: error,
    });
    throw answer ? withAnswer(unknown, answer) : unknown;
  }
}

/** Whether an engine's migrations are known: listed, or none because its API isn't served. */
export function couldList(connection: Connection, engine: MigrationEngine, { status }: MigrationApi): boolean {
  return status === "served" || (status === "not-served" && !wasServedLately(connection, engine));
}

/** The annotation on a StorageVersionMigration that names the run that created it. */
export const RUN_ANNOTATION = "crdshift.dev/run";

const text = z.string().catch("");
// No reader understands a year beyond 9999, and nobody needs a second to more than nine digits.
const timeOrEmpty = time.max("2026-01-02T12:00:00.000000000+00:00".length).catch("");

/** In characters. What the engines write is far shorter. */
const MESSAGE_MAX_LENGTH = 1_000;
/** In characters: of a resource and its group. What is longer names no definition, however much of it is left. */
const RESOURCE_MAX_LENGTH = 63 + 1 + 253;

/** A schema may take empty ones: half a million in an object. Both engines set a handful. */
const MOST_CONDITIONS = 100;

const conditionSchema = z.object({
  type: text,
  status: text,
  message: text.transform((message) => boundedText(message, MESSAGE_MAX_LENGTH)),
  lastTransitionTime: timeOrEmpty,
  // OpenShift's engine has no transition time.
  lastUpdateTime: timeOrEmpty,
});

const schema = z.object({
  metadata: z.object({
    name: z.string(),
    uid: text,
    creationTimestamp: z.string(),
    annotations: z.object({ [RUN_ANNOTATION]: z.string().optional() }).catch({}),
  }),
  // The cluster's own engine names the group and resource; OpenShift's also names the version.
  spec: z.object({ resource: z.object({ group: text, resource: text }).catch({ group: "", resource: "" }) }),
  status: z
    .object({
      conditions: boundedList(conditionSchema, MOST_CONDITIONS),
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
    resource: boundedText(group ? `${resource}.${group}` : resource, RESOURCE_MAX_LENGTH),
    ...migrationProgress(conditions),
    createdAt: metadata.creationTimestamp,
    runId: engine === DELEGATE && run !== undefined && isNamedFor(metadata.name, run) ? run : null,
  };
}
