import { oneLine } from "#lib/cli/terminal/printable.ts";
import type { Run } from "#lib/contract/rewrite/run.ts";
import { delegates } from "#lib/domain/rewrite/engines.ts";
import { endSentence, isEnd } from "#lib/domain/rewrite/run-sentences.ts";
import { formatCount } from "#lib/domain/wording/format-count.ts";
import { afterHeldBack } from "./after-held-back.ts";
import { describeRejections } from "./describe-rejections.ts";
import { table } from "./table.ts";

/**
 * How a run ended, the outcome for the objects, and the next step. `leftovers` are the versions left to prune, null if unknown;
 * `program` is the program's name in commands.
 */
export function describeRun(run: Run, { leftovers, program }: { leftovers: readonly string[] | null; program: string }): string {
  const { phase, counts, rejections, throughStatus, ownership } = run;
  // A live phase here means that the run continues elsewhere, so its end is unknown.
  const sentence = isEnd(phase) ? endSentence({ ...run, phase }) : `The rewrite no longer runs in this process. It shows as ${phase}.`;
  const delegated = delegates(run.engine);
  const facts = [
    ["Definition:", run.crd],
    ["Run:", `${run.id}, by ${run.startedBy}`],
    ["Phase:", phase],
    [delegated ? "Rewritten by crdshift:" : "Rewritten:", formatCount(counts.rewritten)],
    // Rewritten by the cluster's own engine or already current: crdshift can't tell which.
    [delegated ? "Verified:" : "Already current:", formatCount(counts.alreadyCurrent)],
    ["Gone:", formatCount(counts.gone)],
    ["Rejected:", formatCount(counts.rejected)],
    ...(counts.remaining ? [["Remaining:", formatCount(counts.remaining)]] : []),
    ...(throughStatus.objects > 0 ? [["Through /status:", formatCount(throughStatus.objects)]] : []),
    ...(ownership.kept > 0 ? [["Ownership kept:", formatCount(ownership.kept)]] : []),
    ...(ownership.lost > 0 ? [["Ownership lost:", formatCount(ownership.lost)]] : []),
    ...delegationFacts(run),
  ];
  const next = oneLine(nextStepOf(run, leftovers, program));
  return [oneLine(sentence), table(facts), describeRejections(rejections), next].filter(Boolean).join("\n\n");
}

function delegationFacts({ delegation }: Run): string[][] {
  if (!delegation) return [];
  const { migration, phase, message, left, putBack } = delegation;
  return [
    ["Delegated to:", `StorageVersionMigration ${migration}, ${[phase ?? "not running", message].filter(Boolean).join(". ")}`],
    ...(left === null ? [] : [["Abandoned:", left]]),
    ...(putBack.length > 0 ? [["Put back:", putBack.join(", ")]] : []),
  ];
}

function nextStepOf(run: Run, leftovers: readonly string[] | null, program: string): string {
  switch (run.phase) {
    case "succeeded":
      if (leftovers === null) return `To see if there is anything to prune: ${program} status ${run.crd}`;
      return leftovers.length > 0 ? `Next: ${program} prune ${run.crd}` : "There are no leftover versions: nothing to prune.";
    case "unproven":
      if (run.heldBackBecause !== null) return afterHeldBack(run, program);
      return `Fix the rejected objects, then: ${program} rewrite ${run.crd}`;
    case "cancelled":
    case "failed":
      return `To start again, skipping rewritten objects: ${program} rewrite ${run.crd}`;
    case "interrupted":
      return `To resume: ${program} rewrite ${run.crd} --resume`;
    case "settling":
    case "rewriting":
    case "verifying":
    case "paused":
      return `It shows as interrupted within 45 seconds, unless another crdshift runs it. Then: ${program} rewrite ${run.crd} --resume`;
    default:
      return run.phase satisfies never;
  }
}
