import type { Crd } from "#lib/domain/definition/crd.ts";
import type { RewriteRecord } from "#lib/domain/record/rewrite-record.ts";
import { isUnread } from "#lib/domain/rewrite/known-migration.ts";
import { asOf, withCaveats } from "#lib/domain/rewrite/run.ts";
import { caveatsOfStopped } from "./caveats-of-stopped.ts";
import { unwatchedWrites } from "./unknown-writes.ts";

/**
 * What a new run must say of the one that it takes the place of at `now` (ms), if that was interrupted, or has left a migration that couldn't
 * be read: nobody can resume or cancel that one any more, and its own verdict is no longer read. `crd` has the migrations as they are now.
 */
export function caveatsOfReplaced(crd: Crd, record: Pick<RewriteRecord, "runs" | "settlePoint" | "generationSeen">, now: number): string[] {
  const [run] = record.runs;
  if (!run) return [];
  const migration = crd.migrations.find(({ runId }) => runId === run.id);
  if (asOf(run, now).phase !== "interrupted") {
    if (!run.delegation || !isUnread(run.delegation)) return [];
    return withCaveats([], [migration ? unwatchedWrites(run, migration.phase) : run.delegation.left]);
  }
  const phase = migration?.phase ?? (crd.migrationsListed ? null : "unknown");
  return caveatsOfStopped(run, crd, record, phase, "an interrupted rewrite");
}
