import type { Crd } from "#lib/domain/definition/crd.ts";
import type { RewriteRecord } from "#lib/domain/record/rewrite-record.ts";
import { asOf, withCaveats } from "#lib/domain/rewrite/run.ts";
import { stillAccepted } from "#lib/rewrite/guards/accept-losses.ts";
import { unknownWrites, unwatchedWrites } from "./unknown-writes.ts";

/**
 * What a new run must say of an interrupted one that it takes the place of at `now` (ms): nobody can resume or cancel that one any more, and
 * its own verdict is no longer read. `crd` has the migrations as they are now.
 */
export function caveatsOfReplaced(crd: Crd, record: Pick<RewriteRecord, "runs" | "settlePoint" | "generationSeen">, now: number): string[] {
  const [run] = record.runs;
  if (!run || asOf(run, now).phase !== "interrupted") return [];
  // What somebody else wrote excuses nothing.
  const replaced = { ...run, acceptedLosses: stillAccepted(run.acceptedLosses, crd) };
  const migration = crd.migrations.find(({ runId }) => runId === run.id);
  const phase = migration?.phase ?? (crd.migrationsListed ? null : "unknown");
  return withCaveats(run.caveats, [unknownWrites(replaced, crd, record, "an interrupted rewrite"), unwatchedWrites(replaced, phase)]);
}
