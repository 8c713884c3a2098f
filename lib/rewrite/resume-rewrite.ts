import type { Connection } from "#lib/cluster/connection.ts";
import { AppError } from "#lib/contract/app-error.ts";
import { storageVersion } from "#lib/domain/crd.ts";
import { rewriteRefusal } from "#lib/domain/refusals.ts";
import { asOf, type Run } from "#lib/domain/rewrite.ts";
import { refuse } from "./refuse.ts";
import { beginRun } from "./start-rewrite.ts";

/**
 * Goes on with an interrupted run, whoever held it: what is above the settle point is skipped, the rest is looked at again.
 * @throws AppError conflict when it is at work or has ended, precondition_failed when nothing can be rewritten.
 */
export async function resumeRewrite(
  connection: Connection,
  crdName: string,
  runId: string,
  options: { settleSeconds: number; signal: AbortSignal },
): Promise<Run> {
  return beginRun(connection, crdName, options, (crd, record, now) => {
    const [run, ...older] = record.runs;
    if (run?.id !== runId)
      throw new AppError("not_found", `${crdName} has no run ${runId} to resume.`, { nextStep: "Start a new rewrite." });
    if (asOf(run, now).phase !== "interrupted") {
      throw new AppError("conflict", `The run is ${run.phase}, not interrupted.`, {
        nextStep: "Only an interrupted run can be resumed.",
        details: { run },
      });
    }
    const refusal = rewriteRefusal(crd, now);
    if (refusal) throw refuse(refusal);
    const resumed: Run = {
      ...run,
      storageVersion: storageVersion(crd)?.name ?? run.storageVersion,
      phase: "settling",
      pausedBecause: null,
      endedAt: null,
      renewedAt: new Date(now).toISOString(),
    };
    return { ...record, runs: [resumed, ...older] };
  });
}
