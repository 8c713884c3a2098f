import type { Crd } from "#lib/domain/definition/crd.ts";
import type { RewriteRecord } from "#lib/domain/record/rewrite-record.ts";
import { asOf } from "#lib/domain/rewrite/run.ts";
import { caveatsOfStopped } from "./caveats-of-stopped.ts";

/**
 * What a new run must say of an interrupted one that it takes the place of at `now` (ms): nobody can resume or cancel that one any more, and
 * its own verdict is no longer read. `crd` has the migrations as they are now.
 */
export function caveatsOfReplaced(crd: Crd, record: Pick<RewriteRecord, "runs" | "settlePoint" | "generationSeen">, now: number): string[] {
  const [run] = record.runs;
  if (!run || asOf(run, now).phase !== "interrupted") return [];
  const migration = crd.migrations.find(({ runId }) => runId === run.id);
  const phase = migration?.phase ?? (crd.migrationsListed ? null : "unknown");
  return caveatsOfStopped(run, crd, record, phase, "an interrupted rewrite");
}
