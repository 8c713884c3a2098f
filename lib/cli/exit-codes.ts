import { type AppError, isAppError } from "#lib/contract/app-error.ts";
import type { CrdSummary } from "#lib/contract/definition/crd.ts";
import type { EditCheck } from "#lib/contract/definition/edit-check.ts";
import type { ErrorCode } from "#lib/contract/error.ts";
import type { DryRun } from "#lib/domain/losses/dry-run.ts";
import { unacceptedLosses } from "#lib/domain/losses/losses.ts";
import { untriedWords } from "#lib/domain/losses/sample-of.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";

/** Every exit code by its meaning. Scripts branch on them, so a code never changes its meaning. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  denied: 4,
  unreachable: 5,
  rejected: 6,
  conflict: 7,
  refused: 8,
  blocked: 10,
  losses: 11,
  interrupted: 12,
  needsRewrite: 20,
  prunable: 21,
  rewriting: 22,
  unknown: 23,
  cancelled: 130,
  terminated: 143,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

const meanings: Record<keyof typeof exitCodes, string> = {
  done: "Success: proven, pruned, undone, repaired, or a dry run with nothing in the way. With status --exit-code: current.",
  failed:
    "Failure: the definition changed, a proof no longer holds or is gone, a dry run did not finish, no controller picked up a migration, the output was lost, or crdshift has a bug.",
  usage: "The command line, the environment or the kubeconfig is invalid.",
  notFound: "The definition, context or run does not exist.",
  denied: "The cluster does not accept the credentials, or they lack a permission.",
  unreachable: "The API server can't be reached, or did not answer in time.",
  rejected: "The API server rejected a request. With check-edits --exit-code: it would refuse an edit.",
  conflict: "Something else is working on the definition, or has changed it in the meantime.",
  refused: "A precondition is not met: no valid proof, nothing to prune or resume, a version not served, or a failed check.",
  blocked: "Objects were, or would be, rejected, so there is no proof. With status --exit-code: blocked.",
  losses:
    "A loss, known or possible, is not accepted, or a dry run tried no object that a rewrite would patch. Nothing was rewritten, or nothing more if the rewrite was resumed.",
  interrupted: "The rewrite was interrupted. Continue with rewrite --resume.",
  needsRewrite: "With status --exit-code: needs a rewrite.",
  prunable: "With status --exit-code: prunable.",
  rewriting: "With status --exit-code: a rewrite is running.",
  unknown: "With status --exit-code: the state is unknown. With check-edits --exit-code: a definition was not tried.",
  cancelled: "Cancelled by Ctrl-C (SIGINT).",
  terminated: "Stopped by SIGTERM or SIGHUP. A rewrite can be resumed right away.",
};

/** Each code and its meaning, in ascending order. */
export function exitCodeRows(): [code: string, meaning: string][] {
  // Object.entries widens the keys of a constant.
  return Object.entries(exitCodes).map(([name, code]) => [String(code), meanings[name as keyof typeof exitCodes]]);
}

export function exitCodeOfRun(run: Pick<Run, "phase" | "heldBackBecause">): ExitCode {
  switch (run.phase) {
    case "succeeded":
      return exitCodes.done;
    case "unproven":
      return run.heldBackBecause === null ? exitCodes.blocked : exitCodes.losses;
    case "cancelled":
      return exitCodes.cancelled;
    case "failed":
      return exitCodes.failed;
    // A run that left this process but still looks live can be resumed once its record goes stale.
    case "interrupted":
    case "settling":
    case "rewriting":
    case "verifying":
    case "paused":
      return exitCodes.interrupted;
    default:
      return run.phase satisfies never;
  }
}

export function exitCodeOfDryRun(dryRun: Pick<DryRun, "phase" | "checks" | "dryRun" | "losses" | "lossesKnown">): ExitCode {
  const { phase, checks, dryRun: outcome, lossesKnown } = dryRun;
  switch (phase) {
    case "succeeded":
      if (checks.some(({ status }) => status === "fail")) return exitCodes.refused;
      if (outcome.wouldBeRejected > 0) return exitCodes.blocked;
      if (unacceptedLosses(dryRun, { keepOwnership: false }).length > 0 || !lossesKnown) return exitCodes.losses;
      return untriedWords(outcome) === null ? exitCodes.done : exitCodes.losses;
    case "failed":
      return exitCodes.failed;
    case "cancelled":
    case "running":
      return exitCodes.cancelled;
    default:
      return phase satisfies never;
  }
}

export function exitCodeOfState(state: CrdSummary["state"]): ExitCode {
  switch (state) {
    case "current":
      return exitCodes.done;
    case "blocked":
      return exitCodes.blocked;
    case "needs-rewrite":
      return exitCodes.needsRewrite;
    case "prunable":
      return exitCodes.prunable;
    case "rewriting":
      return exitCodes.rewriting;
    case "unknown":
      return exitCodes.unknown;
    default:
      return state satisfies never;
  }
}

/** The state that stands for a fleet: the one to act on first. Unknown could be any state, so it outranks current. */
const urgency: Record<CrdSummary["state"], number> = { blocked: 5, "needs-rewrite": 4, rewriting: 3, prunable: 2, unknown: 1, current: 0 };

export function exitCodeOfFleet(fleet: readonly Pick<CrdSummary, "state">[]): ExitCode {
  const [first] = fleet.toSorted((one, other) => urgency[other.state] - urgency[one.state]);
  return first ? exitCodeOfState(first.state) : exitCodes.done;
}

/** The code of the checks: a refused edit first, then one that was not tried. */
export function exitCodeOfEdits(checks: readonly Pick<EditCheck, "result">[]): ExitCode {
  const has = (verdict: EditCheck["result"]["verdict"]) => checks.some(({ result }) => result.verdict === verdict);
  if (has("refused")) return exitCodes.rejected;
  return has("not-tried") ? exitCodes.unknown : exitCodes.done;
}

export function exitCodeOfError(error: unknown): ExitCode {
  if (!isAppError(error)) return exitCodes.failed;
  return holdsLosses(error) ? exitCodes.losses : exitCodeOfErrorCode(error.code);
}

/** Whether the error refuses a start because of losses that a dry run found. */
export function holdsLosses({ code, details }: AppError): boolean {
  return code === "precondition_failed" && Array.isArray(details?.losses);
}

function exitCodeOfErrorCode(code: ErrorCode): ExitCode {
  switch (code) {
    case "invalid_input":
    case "request_refused":
    case "too_large":
    case "unsupported_media_type":
      return exitCodes.usage;
    case "not_found":
      return exitCodes.notFound;
    case "unauthenticated":
    case "forbidden":
      return exitCodes.denied;
    case "cluster_unreachable":
    case "cluster_timeout":
      return exitCodes.unreachable;
    case "cluster_rejected":
      return exitCodes.rejected;
    case "conflict":
      return exitCodes.conflict;
    case "precondition_failed":
      return exitCodes.refused;
    // Only the server limits a person's requests; here it would be a bug.
    case "too_many_requests":
    case "internal":
      return exitCodes.failed;
    default:
      return code satisfies never;
  }
}
