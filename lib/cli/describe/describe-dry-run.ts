import { table } from "#lib/cli/terminal/table.ts";
import { oneLine } from "#lib/cluster/transport/printable.ts";
import type { DryRun } from "#lib/contract/rewrite/dry-run.ts";
import { formatMorePaths, lossValues, lossWords, worstFirst } from "#lib/domain/losses/losses.ts";
import { type Sample, sampleOf, sampleWords } from "#lib/domain/losses/sample-of.ts";
import { dryRunVerdict } from "#lib/domain/rewrite/dry-run-verdict.ts";
import { formatCount } from "#lib/domain/wording/format-count.ts";
import { describeRejections, objectName } from "./describe-run.ts";

/** The findings of a dry run: a verdict, the checks, the outcome for the objects, and the losses. */
export function describeDryRun(dryRun: DryRun): string {
  const { checks, dryRun: outcome, lossesKnown, lossesUnknownBecause } = dryRun;
  const facts = [
    [outcome.onlyRead > 0 ? "Checked:" : "Tried:", `${formatCount(outcome.checked)} of ${formatCount(outcome.total)}`],
    ["Already current:", formatCount(outcome.alreadyCurrent)],
    ...(outcome.onlyRead > 0 ? [["Only read:", formatCount(outcome.onlyRead)]] : []),
    ["Would pass:", formatCount(outcome.wouldPass)],
    ["Would be rejected:", formatCount(outcome.wouldBeRejected)],
    ["Can't dry-run:", formatCount(outcome.cannotDryRun)],
    ["Gone:", formatCount(outcome.gone)],
    ["Generation would rise:", formatCount(outcome.generationRises)],
    ...(lossesKnown ? [] : [["Losses:", `unknown. ${lossesUnknownBecause ?? ""}`]]),
  ];
  // "Cancelled." says no more than the verdict.
  const reason = dryRun.phase === "failed" && dryRun.message !== null ? [dryRun.message] : [];
  const verdict = dryRunVerdict(dryRun);
  const rows = checks.map(({ name, status, message }) => [name, status, message]);
  return [
    oneLine([...(verdict?.sentences ?? ["The dry run did not end."]), ...reason, "Nothing was stored."].join(" ")),
    rows.length > 0 && table([["CHECK", "STATUS", "MESSAGE"], ...rows]),
    table(facts),
    describeLosses(dryRun, sampleOf(outcome)),
    describeRejections(outcome.rejections, "would be rejected"),
    describeRejections(outcome.cannot, "can't be dry-run"),
  ]
    .filter(Boolean)
    .join("\n\n");
}

/**
 * What a dry run found to be lost, worst first; empty without any. The values of an example are only in a dry run, not in its record.
 * `sample` is what it checked, if it left out objects.
 */
export function describeLosses({ losses, moreLosses }: Pick<DryRun, "losses" | "moreLosses">, sample: Sample | null): string {
  if (losses.length === 0) return "";
  const rows = worstFirst(losses).map(({ kind, path, objects, examples: [example] }) => [
    lossWords[kind].word,
    formatCount(objects),
    path,
    example ? objectName(example) : "",
    (example && lossValues(example)) ?? "",
  ]);
  const hasValues = rows.some(([, , , , values]) => values !== "");
  const more = moreLosses > 0 ? `\nand ${formatMorePaths(moreLosses)}` : "";
  const count = sample ? "OBJECTS (AT LEAST)" : "OBJECTS";
  const within = sample ? `\nSample: ${sampleWords(sample)}` : "";
  return `${table([["LOSS", count, "PATH", "EXAMPLE", ...(hasValues ? ["VALUE"] : [])], ...rows])}${more}${within}`;
}
