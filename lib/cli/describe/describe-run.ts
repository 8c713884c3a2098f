import { oneLine } from "#lib/cli/terminal/printable.ts";
import type { Run } from "#lib/contract/rewrite/run.ts";
import { endSentence, isEnd } from "#lib/domain/rewrite/run-sentences.ts";
import { formatCount } from "#lib/domain/wording/counted.ts";
import { afterHeldBack } from "./after-held-back.ts";
import { describeRejections } from "./describe-rejections.ts";
import { table } from "./table.ts";

/**
 * How a run ended, what became of the objects, and what to do next. `leftovers` are the versions that are left to be pruned, null where
 * that is not known; `program` is how commands are written.
 */
export function describeRun(run: Run, { leftovers, program }: { leftovers: readonly string[] | null; program: string }): string {
  const { phase, counts, rejections, throughStatus, ownership } = run;
  // It is at work still, but not here: the phase says nothing of how it ends.
  const sentence = isEnd(phase) ? endSentence({ ...run, phase }) : `The rewrite is no longer at work here, and shows as ${phase}.`;
  const isDelegated = run.engine === "in-tree";
  const facts = [
    ["Definition:", run.crd],
    ["Run:", `${run.id}, by ${run.startedBy}`],
    ["Phase:", phase],
    [isDelegated ? "Rewritten by crdshift:" : "Rewritten:", formatCount(counts.rewritten)],
    // By the cluster's own engine, or current before: crdshift found them so.
    [isDelegated ? "Verified:" : "Already current:", formatCount(counts.alreadyCurrent)],
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
    ["Delegated to:", `StorageVersionMigration ${migration}, ${[phase ?? "none at work", message].filter(Boolean).join(". ")}`],
    ...(left === null ? [] : [["Left:", left]]),
    ...(putBack.length > 0 ? [["Put back:", putBack.join(", ")]] : []),
  ];
}

function nextStepOf(run: Run, leftovers: readonly string[] | null, program: string): string {
  switch (run.phase) {
    case "succeeded":
      if (leftovers === null) return `Whether something is left to be pruned: ${program} status ${run.crd}`;
      return leftovers.length > 0 ? `Next: ${program} prune ${run.crd}` : "No leftover version is listed: nothing is left to be pruned.";
    case "blocked":
      if (run.heldBackBecause !== null) return afterHeldBack(run, program);
      return `Mend what was rejected, then: ${program} rewrite ${run.crd}`;
    case "cancelled":
    case "failed":
      return `To begin again, skipping what is rewritten: ${program} rewrite ${run.crd}`;
    case "interrupted":
      return `To go on: ${program} rewrite ${run.crd} --resume`;
    case "settling":
    case "rewriting":
    case "verifying":
    case "paused":
      return `It shows as interrupted within 45 seconds, unless another crdshift holds it. Then: ${program} rewrite ${run.crd} --resume`;
    default:
      return run.phase satisfies never;
  }
}
