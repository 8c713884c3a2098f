import type { Crd } from "#lib/domain/definition/crd.ts";
import type { RewriteRecord } from "#lib/domain/record/rewrite-record.ts";
import type { MigrationPhase } from "#lib/domain/rewrite/migration.ts";
import { type Run, withCaveats } from "#lib/domain/rewrite/run.ts";
import { stillAccepted } from "#lib/rewrite/guards/accept-losses.ts";
import { unknownWrites, unwatchedWrites } from "./unknown-writes.ts";

/**
 * What to say of a run that nobody runs, as someone resumes, cancels, or replaces it. `phase` is its migration's now, and `whose` is what
 * the run is to those who read it.
 */
export function caveatsOfStopped(
  run: Run,
  crd: Crd,
  record: Pick<RewriteRecord, "settlePoint" | "generationSeen">,
  phase: MigrationPhase | "unknown" | null,
  whose?: string,
): string[] {
  // What somebody else wrote, or accepted of an earlier spec, excuses nothing.
  const stopped = { ...run, acceptedLosses: stillAccepted(run.acceptedLosses, crd) };
  return withCaveats(run.caveats, [unknownWrites(stopped, crd, record, whose), unwatchedWrites(stopped, phase)]);
}
