import { isDeepStrictEqual } from "node:util";
import type { Migration } from "#lib/domain/rewrite/migration.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";

interface SharedMigrations {
  /** By uid. */
  readonly known: Map<string, WeakRef<Migration>>;
  readonly forgotten: FinalizationRegistry<string>;
}

/**
 * The migration, or one that says the same and is in memory already, whoever has listed it: everybody who views a cluster keeps all of its
 * migrations, which may be 20,000.
 */
export function sharedMigration(migration: Migration): Migration {
  const { known, forgotten } = processWide("shared-migrations", sharedMigrations);
  const { uid } = migration;
  const same = known.get(uid)?.deref();
  if (same && isDeepStrictEqual(same, migration)) return same;
  known.set(uid, new WeakRef(migration));
  forgotten.register(migration, uid);
  return migration;
}

function sharedMigrations(): SharedMigrations {
  const known = new Map<string, WeakRef<Migration>>();
  const forgotten = new FinalizationRegistry((uid: string) => {
    if (known.get(uid)?.deref() === undefined) known.delete(uid);
  });
  return { known, forgotten };
}
