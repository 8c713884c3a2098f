import { untriedWords } from "#lib/domain/losses/sample-of.ts";
import { delegates } from "#lib/domain/rewrite/engines.ts";
import { lossVerdict, type TriedObjects } from "#lib/domain/rewrite/loss-verdict.ts";
import { isLive, type Run } from "#lib/domain/rewrite/run.ts";
import type { CrdStateName } from "./crd-state.ts";

/** What a person does next; the page makes a button of it, the terminal a command line. */
export type NextStep =
  | { step: "watch" | "resume"; run: string }
  | { step: "dry-run" | "prune" | "repair" | "none" }
  | { step: "rewrite"; verifyEveryObject: boolean }
  /**
   * Make managedFields name the storage version in place of these versions, which are gone. A rewrite can carry entries over, too, unless
   * one has left these.
   */
  | { step: "clean"; versions: readonly string[]; canPrune: boolean; canCarryOver: boolean }
  /** `dryRun` shows the losses; null if it is not known. Only crdshift's own engine can keep ownership. */
  | { step: "review-losses"; dryRun: string | null; canKeepOwnership: boolean }
  /** What was rejected in a run, or would be according to a dry run. */
  | { step: "see-rejections"; in: "run" | "dry-run"; id: string }
  /** Nothing is possible until the cause of the refusal is gone. */
  | { step: "solve"; refusal: string };

/** The facts about a definition that decide. */
export interface StepFacts {
  state: CrdStateName;
  activeRun: Run | null;
  /** The newest run. */
  run: Run | null;
  dryRun: (TriedObjects & { id: string; invalidBecause: string | null }) | null;
  missingStoredVersions: readonly string[];
  contradiction: object | null;
  /** What blocks it, if that is it. */
  brokenApplies: { versions: readonly string[] } | null;
  actions: Record<"rewrite" | "resume" | "prune" | "restore" | "clean", { refusal: string | null }>;
}

/** The next step on a definition. */
export function nextStep(crd: StepFacts): NextStep {
  const { run } = crd;
  const live = crd.activeRun ?? (run && isLive(run) ? run : null);
  if (live) return { step: "watch", run: live.id };
  switch (crd.state) {
    case "prunable":
      return crd.actions.prune.refusal === null ? { step: "prune" } : { step: "solve", refusal: crd.actions.prune.refusal };
    case "needs-rewrite":
      return refused(crd) ?? (run?.phase === "interrupted" ? { step: "resume", run: run.id } : afterDryRun(crd.dryRun));
    case "blocked":
      return unblocking(crd);
    case "rewriting":
    case "current":
    case "unknown":
      return { step: "none" };
    default:
      return crd.state satisfies never;
  }
}

/** The next step after one of the definition's runs, as the definition is now: none after an older run, and none that is refused. */
export function nextStepAfter(run: Run, crd: StepFacts & { leftoverVersions: readonly string[] }): NextStep {
  if (crd.run?.id !== run.id) return { step: "none" };
  const isLeft = crd.state === "needs-rewrite" && run.phase !== "succeeded";
  const solve = isLeft ? refused(crd) : crd.state === "rewriting" ? refused({ ...crd, run: null }) : null;
  if (solve) return solve;
  return isLeft ? nextStepAfterRun(run, crd.leftoverVersions) : nextStep(crd);
}

/** The next step after a run that is the definition's newest, as far as the run tells; `leftovers` are the versions left to prune. */
export function nextStepAfterRun(run: Run, leftovers: readonly string[]): NextStep {
  switch (run.phase) {
    case "succeeded":
      return { step: leftovers.length > 0 ? "prune" : "none" };
    case "unproven":
      return afterUnproven(run, null);
    case "cancelled":
    case "failed":
      return { step: "rewrite", verifyEveryObject: run.verify === "every-object" };
    case "interrupted":
      return { step: "resume", run: run.id };
    case "settling":
    case "rewriting":
    case "verifying":
    case "paused":
      return { step: "watch", run: run.id };
    default:
      return run.phase satisfies never;
  }
}

// A rewrite comes only once a valid dry run shows what it does, and that it loses nothing.
function afterDryRun(dryRun: StepFacts["dryRun"]): NextStep {
  if (dryRun === null || dryRun.invalidBecause !== null) return { step: "dry-run" };
  const { id, wouldBeRejected } = dryRun;
  const losses = lossVerdict(dryRun).kind;
  if (losses === "loses") return { step: "review-losses", dryRun: id, canKeepOwnership: true };
  if (wouldBeRejected > 0) return { step: "see-rejections", in: "dry-run", id };
  // Another sample may miss them, too. The rewrite checks each object that wasn't tried.
  if (untriedWords(dryRun) !== null && dryRun.lossesKnown) return { step: "rewrite", verifyEveryObject: false };
  if (losses === "unknown") return { step: "review-losses", dryRun: id, canKeepOwnership: true };
  return { step: "rewrite", verifyEveryObject: false };
}

/** What can't be done because of a refusal that has to be solved: the resume of an interrupted rewrite, or else a rewrite. */
export function refusedRewrite(next: NextStep | null, crd: Pick<StepFacts, "run" | "actions"> | null): "resume" | "rewrite" {
  const isInterrupted = crd?.run?.phase === "interrupted";
  return isInterrupted && next?.step === "solve" && next.refusal === crd?.actions.resume.refusal ? "resume" : "rewrite";
}

// What an interrupted rewrite left behind may be in the way of a new one, and not of its own resume.
function refused({ run, actions }: Pick<StepFacts, "run" | "actions">): NextStep | null {
  const { refusal } = run?.phase === "interrupted" ? actions.resume : actions.rewrite;
  return refusal === null ? null : { step: "solve", refusal };
}

function unblocking({ run, dryRun, missingStoredVersions, contradiction, brokenApplies, actions }: StepFacts): NextStep {
  if (brokenApplies !== null) {
    if (actions.clean.refusal !== null) return { step: "solve", refusal: actions.clean.refusal };
    const hasCarriedOver = run?.phase === "succeeded" && run.ownership.keep;
    return { step: "clean", versions: brokenApplies.versions, canPrune: actions.prune.refusal === null, canCarryOver: !hasCarriedOver };
  }
  if (missingStoredVersions.length > 0) {
    return actions.restore.refusal === null ? { step: "repair" } : { step: "solve", refusal: actions.restore.refusal };
  }
  const solve = refused({ run: contradiction === null ? run : null, actions });
  if (solve) return solve;
  // Otherwise the rewrite skips the contradicting objects.
  if (contradiction !== null) return { step: "rewrite", verifyEveryObject: true };
  if (run === null) return { step: "none" };
  return run.phase === "unproven" ? afterUnproven(run, dryRun) : nextStepAfterRun(run, []);
}

function afterUnproven({ id, heldBackBecause, engine, dryRun }: Run, recorded: StepFacts["dryRun"]): NextStep {
  if (heldBackBecause === null) return { step: "see-rejections", in: "run", id };
  // A later dry run that still holds shows the losses as they are now.
  const newest = recorded?.invalidBecause === null ? recorded.id : dryRun;
  // A delegation is also refused where nothing is known to be lost; crdshift's own engine checks each object.
  const isLoss = newest !== null && (newest !== recorded?.id || lossVerdict(recorded).kind === "loses");
  if (delegates(engine) && !isLoss) return { step: "rewrite", verifyEveryObject: false };
  return { step: "review-losses", dryRun: newest, canKeepOwnership: !delegates(engine) };
}
