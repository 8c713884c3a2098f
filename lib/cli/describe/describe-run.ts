import { oneLine } from "#lib/cli/terminal/printable.ts";
import type { Run } from "#lib/contract/rewrite/run.ts";
import { nextStepAfterRun } from "#lib/domain/definition/next-step.ts";
import { delegates } from "#lib/domain/rewrite/engines.ts";
import { runVerdict } from "#lib/domain/rewrite/run-verdict.ts";
import { formatCount, formatCountOf } from "#lib/domain/wording/format-count.ts";
import { nextStepWords } from "./next-step-words.ts";
import { table } from "./table.ts";

/**
 * How a run ended, the outcome for the objects, and the next step. `leftovers` are the versions left to prune, null if unknown;
 * `program` is the program's name in commands.
 */
export function describeRun(run: Run, { leftovers, program }: { leftovers: readonly string[] | null; program: string }): string {
  const { phase, counts, rejections, throughStatus, ownership } = run;
  const verdict = runVerdict(run);
  // Without a verdict the run continues elsewhere, so its end is unknown.
  const sentence = verdict
    ? [verdict.sentence, verdict.because].filter(Boolean).join(" ")
    : `The rewrite no longer runs in this process. It shows as ${phase}.`;
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
    ...(putBack.length > 0 ? [["Repaired:", putBack.join(", ")]] : []),
  ];
}

function nextStepOf(run: Run, leftovers: readonly string[] | null, program: string): string {
  if (leftovers === null && run.phase === "succeeded") return `To see if there is anything to prune: ${program} status ${run.crd}`;
  const next = nextStepAfterRun(run, leftovers ?? []);
  const words = nextStepWords(next, { crd: run.crd, program, now: Date.now() });
  if (words !== null) return `Next: ${words}`;
  if (next.step === "none") return "There are no leftover versions: nothing to prune.";
  return `It shows as interrupted within 45 seconds, unless another crdshift runs it. Then: ${program} rewrite ${run.crd} --resume`;
}

/** Objects grouped by the server's reason, with its message, their outcome and some of their names; empty without any. */
export function describeRejections(groups: Run["rejections"], became = "rejected"): string {
  return groups
    .map(({ reason, message, count, examples }) => {
      const names = examples.map(objectName);
      const more = count > names.length ? [`and ${formatCountOf(count - names.length, "other")}`] : [];
      return [
        oneLine(`${formatCountOf(count, "object")} ${became}, ${reason}: ${message}`),
        ...[...names, ...more].map((name) => `  ${name}`),
      ].join("\n");
    })
    .join("\n\n");
}

/** An object's name as kubectl writes it in messages. */
export function objectName({ namespace, name }: { namespace: string; name: string }): string {
  return oneLine(namespace ? `${namespace}/${name}` : name);
}
