import { isDeepStrictEqual } from "node:util";
import { mapInShortTurns } from "#lib/async/map-in-short-turns.ts";
import { sleep } from "#lib/async/sleep.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { DELEGATE, migrationEngines } from "#lib/domain/rewrite/engines.ts";
import type { Migration } from "#lib/domain/rewrite/migration.ts";
import { logProblem } from "#lib/process-wide/log-problem.ts";
import { couldList, listMigrations, type MigrationApis, readMigrationApis } from "./list-migrations.ts";

const TICK_MS = 500;
const FIRST_TICK_MS = 50;
/** OpenShift's engine, and the cluster's own before 1.36, are visible only in their own objects; listing those is cheap. */
const FRESH_MS = 5_000;
/** Long lists are read less often: listing takes at most this share of the time. */
const MOST_OF_THE_TIME = 0.2;
/** Engines appear or disappear with the API server's flags, or when someone installs one. */
const APIS_FRESH_MS = 60_000;

/** Other engines' migrations, listed again while someone is viewing. */
export interface KeptMigrations {
  /** Lists on the next tick instead of waiting until it is due. */
  refreshSoon(): void;
  /** Resolves after the first attempt to list them, whatever its outcome. */
  looked: Promise<void>;
}

/**
 * Follows the StorageVersionMigrations of a cluster until the signal aborts. `onList` gets all of them, by resource, newest first, and
 * whether the cluster's own could be listed this time. The list of a resource is the same one for as long as nothing in it changes.
 */
export function keepMigrations(options: {
  connection: Connection;
  isWanted: () => boolean;
  onList: (byResource: ReadonlyMap<string, Migration[]>, couldList: boolean) => void;
  signal: AbortSignal;
}): KeptMigrations {
  const { connection, isWanted, onList, signal } = options;
  let apis: { of: MigrationApis; at: number } | null = null;
  let known = new Map<string, Migration>();
  let byResource = new Map<string, Migration[]>();
  let dueAt = Number.NEGATIVE_INFINITY;
  const first = Promise.withResolvers<void>();

  const look = async () => {
    const startedAt = performance.now();
    if (!apis || startedAt - apis.at > APIS_FRESH_MS) apis = { of: await readMigrationApis(connection, signal), at: performance.now() };
    const { apis: answers, items } = await listMigrations(connection, signal, apis.of);
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
    onList(byResource, listed.includes(DELEGATE));
    if (listed.length < migrationEngines.length) apis = null;
    const endedAt = performance.now();
    dueAt = endedAt + Math.max(FRESH_MS, (endedAt - startedAt) / MOST_OF_THE_TIME);
    first.resolve();
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
    looked: first.promise,
  };
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
