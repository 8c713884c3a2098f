import type { Run } from "#lib/contract/rewrite/run.ts";
import type { SuccessStanding } from "#lib/domain/audit/success-standing.ts";
import { isLive } from "#lib/domain/rewrite/run.ts";

export const stepNames = ["Settle", "Rewrite", "Verify", "Proof"] as const;
export type StepStatus = "done" | "lapsed" | "current" | "stopped" | "todo";
export interface RunStep {
  name: (typeof stepNames)[number];
  status: StepStatus;
}

/** The four steps of a run, each with its status; `success` is what its success is worth, if it reports one. */
export function runSteps(run: Run, success: SuccessStanding["state"]): RunStep[] {
  const at = reachedStep(run);
  return stepNames.map((name, index) => ({
    name,
    status: index < at ? (name === "Proof" ? proofStatus(success) : "done") : index === at ? (isLive(run) ? "current" : "stopped") : "todo",
  }));
}

function proofStatus(success: SuccessStanding["state"]): StepStatus {
  switch (success) {
    case "proven":
    case "replaced":
    case "unknown":
      return "done";
    case "void":
      return "lapsed";
    case "claimed":
    case "missing":
      return "stopped";
    default:
      return success satisfies never;
  }
}

function reachedStep(run: Run): number {
  switch (run.phase) {
    case "settling":
      return 0;
    case "verifying":
      return 2;
    case "succeeded":
      return stepNames.length;
    // A run with rejected objects does not verify.
    case "unproven":
      return run.heldBackBecause ? 0 : 1;
    case "rewriting":
      return 1;
    case "paused":
    case "cancelled":
    case "interrupted":
    case "failed":
      if (run.settledAt === null) return 0;
      return run.counts.remaining === 0 ? 2 : 1;
    default:
      return run.phase satisfies never;
  }
}

/**
 * A run's progress. Never exceeds the total, and reaches 100% only when nothing remains. When a list begins again, its objects have no
 * outcome yet, but what remains is known.
 */
export function runProgress({ counts }: Pick<Run, "counts">): { done: number; total: number | null; percent: number | null } {
  if (counts.total === null || counts.remaining === null) {
    return { done: counts.rewritten + counts.alreadyCurrent + counts.gone + counts.rejected, total: null, percent: null };
  }
  const done = Math.max(0, counts.total - counts.remaining);
  return { done, total: counts.total, percent: counts.total === 0 ? 100 : Math.floor((done / counts.total) * 100) };
}
