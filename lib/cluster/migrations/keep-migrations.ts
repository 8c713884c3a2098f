import { sleep } from "#lib/async/sleep.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { type Migration, migrationEngines } from "#lib/domain/rewrite/migration.ts";
import { logProblem } from "#lib/process-wide/log-problem.ts";
import { listMigrations, type MigrationApis, readMigrationApis } from "./list-migrations.ts";
import { isTold } from "./read-migrations-of.ts";

const TICK_MS = 500;
const FIRST_TICK_MS = 50;
/** Only OpenShift's engine, and the cluster's own before 1.36, show nowhere but in their own objects; a list of those is small. */
const FRESH_MS = 5_000;
/** A long list is looked at less often: this share of the time goes into it at most. */
const MOST_OF_THE_TIME = 0.2;
/** Whether an engine is served changes with the API server's flags, or when somebody installs one. */
const APIS_FRESH_MS = 60_000;

/** What other engines do, by definition's name, listed again while somebody looks. */
export interface KeptMigrations {
  /** Asks with the next tick instead of when it is due. */
  refreshSoon(): void;
  /** Resolves once they were looked at for the first time, whatever that told. */
  looked: Promise<void>;
}

/**
 * Begins to follow the StorageVersionMigrations of a cluster; `onList` gets all of them, by resource, newest first, and whether
 * the cluster's own could be listed this time. Ends with the signal.
 */
export function keepMigrations(options: {
  connection: Connection;
  isWanted: () => boolean;
  onList: (byResource: ReadonlyMap<string, Migration[]>, isTold: boolean) => void;
  signal: AbortSignal;
}): KeptMigrations {
  const { connection, isWanted, onList, signal } = options;
  let apis: { of: MigrationApis; at: number } | null = null;
  let known: Migration[] = [];
  let dueAt = Number.NEGATIVE_INFINITY;
  const first = Promise.withResolvers<void>();

  const look = async () => {
    const startedAt = Date.now();
    if (!apis || Date.now() - apis.at > APIS_FRESH_MS) apis = { of: await readMigrationApis(connection, signal), at: Date.now() };
    const { apis: answers, items } = await listMigrations(connection, signal, apis.of);
    // What can't be listed now keeps what was known: a migration does not end because nobody may look.
    const told = migrationEngines.filter((engine) => isTold(answers[engine]));
    known = [...items, ...known.filter(({ engine }) => !told.includes(engine))];
    onList(
      Map.groupBy(known, ({ resource }) => resource),
      told.includes("in-tree"),
    );
    if (told.length < migrationEngines.length) apis = null;
    const now = Date.now();
    dueAt = now + Math.max(FRESH_MS, (now - startedAt) / MOST_OF_THE_TIME);
    first.resolve();
  };
  const keep = async () => {
    for (;;) {
      await sleep(Number.isFinite(dueAt) ? TICK_MS : FIRST_TICK_MS, signal);
      if (isWanted() && Date.now() >= dueAt) await look();
    }
  };
  // It ends only with the abort, which nobody waits for.
  keep().catch((error: unknown) => {
    if (!signal.aborted) logProblem("error", { message: `Migrations are no longer followed: ${String(error)}` });
  });
  return {
    refreshSoon() {
      dueAt = Math.min(dueAt, Date.now());
    },
    looked: first.promise,
  };
}
