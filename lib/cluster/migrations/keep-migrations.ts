import { isDeepStrictEqual } from "node:util";
import { mapInShortTurns } from "#lib/async/map-in-short-turns.ts";
import { sleep } from "#lib/async/sleep.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import type { MigrationApi, OtherEngines } from "#lib/contract/rewrite/migration.ts";
import { DELEGATE, type MigrationEngine, migrationApiOf, migrationEngines } from "#lib/domain/rewrite/engines.ts";
import type { Migration } from "#lib/domain/rewrite/migration.ts";
import { logProblem } from "#lib/process-wide/log-problem.ts";
import { couldList, listMigrations, type MigrationApis, readMigrationApis } from "./list-migrations.ts";
import { apiStatusOf, notServedHere } from "./migration-apis.ts";

const TICK_MS = 500;
const FIRST_TICK_MS = 50;
/** OpenShift's engine, and the cluster's own before 1.36, are visible only in their own objects; listing those is cheap. */
const FRESH_MS = 5_000;
/** Long lists are read less often: listing takes at most this share of the time. */
const MOST_OF_THE_TIME = 0.2;
/** A look that is older than so many times what it waits for the next one has missed its turn: nobody was viewing. */
const TURNS_UNTIL_OLD = 2;
/** Engines appear or disappear with the API server's flags, or when someone installs one. */
const APIS_FRESH_MS = 60_000;

/** Other engines' migrations, listed again while someone is viewing. */
export interface KeptMigrations {
  /** Lists on the next tick instead of waiting until it is due. */
  refreshSoon(): void;
  /** The next attempt to list them, whatever its outcome, if the last one is too old; otherwise null. */
  missingLook(): Promise<void> | null;
  /** What is known of each engine's migrations. While a look is missing, none of them counts as read. */
  engines(): OtherEngines;
}

/**
 * Follows the StorageVersionMigrations of a cluster until the signal aborts. `onList` gets all of them, by resource, newest first, and
 * whether the cluster's own could be listed this time. The list of a resource is the same one for as long as nothing in it changes.
 * `onEngines` is called after that, whenever an engine's API has changed: whether its migrations could be read, or why not.
 */
export function keepMigrations(options: {
  connection: Connection;
  isWanted: () => boolean;
  onList: (byResource: ReadonlyMap<string, Migration[]>, couldList: boolean) => void;
  onEngines: (engines: OtherEngines) => void;
  signal: AbortSignal;
}): KeptMigrations {
  const { connection, isWanted, onList, onEngines, signal } = options;
  let apis: { of: MigrationApis; at: number; asOf: string } | null = null;
  let known = new Map<string, Migration>();
  let byResource = new Map<string, Migration[]>();
  let dueAt = Number.NEGATIVE_INFINITY;
  let oldAt = Number.NEGATIVE_INFINITY;
  let engines: OtherEngines = { "in-tree": { api: null, asOf: null }, openshift: { api: null, asOf: null } };
  let next = Promise.withResolvers<void>();
  const isOld = () => performance.now() >= oldAt;
  const told = () => (isOld() ? unread(engines) : engines);

  const look = async () => {
    const startedAt = performance.now();
    if (!apis || startedAt - apis.at > APIS_FRESH_MS) {
      const asOf = new Date().toISOString();
      apis = { of: await readMigrationApis(connection, signal), at: performance.now(), asOf };
    }
    const { asOf: servedAsOf } = apis;
    const { apis: answers, items, asOf } = await listMigrations(connection, signal, apis.of);
    const listed = migrationEngines.filter((engine) => couldList(connection, engine, answers[engine]));
    const before = known;
    const whose = { person: connection.person(), signal };
    const seen = await mapInShortTurns(
      items,
      (one) => {
        const was = before.get(keyOf(one));
        return was && isDeepStrictEqual(was, one) ? was : one;
      },
      whose,
    );
    const now = new Map(await mapInShortTurns(seen, (one): [string, Migration] => [keyOf(one), one], whose));
    // If an engine can't be listed now, or not to the end, keep its known migrations: they don't end because they can't be seen.
    if (listed.length < migrationEngines.length) {
      await mapInShortTurns(
        before,
        ([key, one]) => {
          if (!listed.includes(one.engine) && !now.has(key)) now.set(key, one);
        },
        whose,
      );
    }
    known = now;
    byResource = withSameLists(
      Map.groupBy(known.values(), ({ resource }) => resource),
      byResource,
    );
    signal.throwIfAborted();
    const found = (engine: MigrationEngine) => {
      const api = answers[engine];
      if (listed.includes(engine)) return { api, asOf: api.status === "served" ? asOf : servedAsOf };
      return { api: unlistedApi(engine, api), asOf: api.status === "incomplete" ? asOf : engines[engine].asOf };
    };
    const toldBefore = told();
    engines = { "in-tree": found("in-tree"), openshift: found("openshift") };
    onList(byResource, listed.includes(DELEGATE));
    if (migrationEngines.some((engine) => !isDeepStrictEqual(engines[engine].api, toldBefore[engine].api))) onEngines(engines);
    if (listed.length < migrationEngines.length) apis = null;
    const endedAt = performance.now();
    const waitMs = Math.max(FRESH_MS, (endedAt - startedAt) / MOST_OF_THE_TIME);
    dueAt = endedAt + waitMs;
    oldAt = endedAt + TURNS_UNTIL_OLD * waitMs;
    next.resolve();
    next = Promise.withResolvers();
  };
  const keep = async () => {
    for (;;) {
      await sleep(Number.isFinite(dueAt) ? TICK_MS : FIRST_TICK_MS, signal);
      if (isWanted() && performance.now() >= dueAt) await look();
    }
  };
  // Ends only on abort, which nothing waits for.
  keep().catch((error: unknown) => {
    if (!signal.aborted) logProblem("error", { message: `Stopped following migrations: ${String(error)}` });
  });
  return {
    refreshSoon() {
      dueAt = Math.min(dueAt, performance.now());
    },
    missingLook: () => (isOld() ? next.promise : null),
    engines: told,
  };
}

// While an API server answers that doesn't serve what another one has served, the migrations aren't known.
function unlistedApi(engine: MigrationEngine, api: MigrationApi): MigrationApi {
  return api.status === "not-served" ? apiStatusOf(notServedHere(migrationApiOf[engine].group)) : api;
}

function unread(engines: OtherEngines): OtherEngines {
  const of = (engine: MigrationEngine) => ({ api: null, asOf: engines[engine].asOf });
  return { "in-tree": of("in-tree"), openshift: of("openshift") };
}

// No two objects of a cluster have the same uid. A key built for each would take more memory than what people's lists share.
function keyOf({ uid, name }: Migration): string {
  return uid || name;
}

/** The lists, each as it was before if it has the same migrations. */
function withSameLists(lists: Map<string, Migration[]>, before: ReadonlyMap<string, Migration[]>): Map<string, Migration[]> {
  for (const [resource, list] of lists) {
    const was = before.get(resource);
    if (was?.length === list.length && was.every((one, index) => one === list[index])) lists.set(resource, was);
  }
  return lists;
}
