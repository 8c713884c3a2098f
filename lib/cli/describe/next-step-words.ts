import type { NextStep } from "#lib/domain/definition/next-step.ts";
import { localTimes } from "#lib/domain/wording/local-time.ts";

/** The next step on the definition as a command line; null if there is none. `program` is the program's name in commands. */
export function nextStepWords(next: NextStep, { crd, program, now }: { crd: string; program: string; now: number }): string | null {
  const [rewrite, dryRun] = [`${program} rewrite ${crd}`, `${program} dry-run ${crd}`];
  switch (next.step) {
    case "watch":
    case "none":
      return null;
    case "dry-run":
    case "prune":
    case "repair":
      return `${program} ${next.step} ${crd}`;
    case "rewrite":
      return next.verifyEveryObject ? `${rewrite} --verify every-object` : rewrite;
    case "clean":
      return `${rewrite} --keep-ownership --verify every-object`;
    case "resume":
      return `${rewrite} --resume`;
    case "review-losses": {
      const keeping = next.canKeepOwnership ? " (or --keep-ownership to keep managedFields)" : "";
      return `See the losses: ${dryRun}; accept them and continue: ${rewrite} --accept-losses${keeping}`;
    }
    case "see-rejections":
      return next.in === "run"
        ? `Fix what rejected the objects, then: ${rewrite}`
        : `See what would be rejected: ${dryRun}; once it is fixed: ${rewrite}`;
    case "solve":
      return localTimes(next.refusal, now);
    default:
      return next satisfies never;
  }
}
