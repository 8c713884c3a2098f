import { oneLine } from "#lib/cli/terminal/printable.ts";
import type { DryRun } from "#lib/contract/rewrite/dry-run.ts";
import { lossWords } from "#lib/domain/losses/loss-words.ts";
import { worstFirst } from "#lib/domain/losses/worst-first.ts";
import { formatCount, formatCountOf } from "#lib/domain/wording/format-count.ts";
import { describeRejections, objectName } from "./describe-rejections.ts";
import { table } from "./table.ts";

/** The findings of a dry run: a verdict, the checks, the outcome for the objects, and the losses. */
export function describeDryRun(dryRun: DryRun): string {
  const { checks, dryRun: outcome, lossesKnown, lossesUnknownBecause } = dryRun;
  const facts = [
    ["Tried:", `${formatCount(outcome.checked)} of ${formatCount(outcome.total)}`],
    ["Already current:", formatCount(outcome.alreadyCurrent)],
    ["Would pass:", formatCount(outcome.wouldPass)],
    ["Would be rejected:", formatCount(outcome.wouldBeRejected)],
    ["Can't dry-run:", formatCount(outcome.cannotDryRun)],
    ["Gone:", formatCount(outcome.gone)],
    ["Generation would rise:", formatCount(outcome.generationRises)],
    ...(lossesKnown ? [] : [["Losses:", `unknown. ${lossesUnknownBecause ?? ""}`]]),
  ];
  const rows = checks.map(({ name, status, message }) => [name, status, message]);
  return [
    oneLine(verdict(dryRun)),
    rows.length > 0 && table([["CHECK", "STATUS", "MESSAGE"], ...rows]),
    table(facts),
    describeLosses(dryRun),
    describeRejections(outcome.rejections, "would be rejected"),
    describeRejections(outcome.cannot, "can't be dry-run"),
  ]
    .filter(Boolean)
    .join("\n\n");
}

function verdict({ phase, crd, storageVersion, message }: DryRun): string {
  switch (phase) {
    case "succeeded":
      return `The dry run of ${crd} to ${storageVersion} is complete. Nothing was stored.`;
    case "failed":
      return `The dry run failed: ${message ?? "no reason given."}`;
    case "cancelled":
    case "running":
      return "The dry run was cancelled. Nothing was stored.";
    default:
      return phase satisfies never;
  }
}

function describeLosses({ losses, moreLosses }: DryRun): string {
  if (losses.length === 0) return "";
  const rows = worstFirst(losses).map(({ kind, path, objects, examples: [example] }) => [
    lossWords[kind].word,
    formatCount(objects),
    path,
    example ? objectName(example) : "",
  ]);
  const more = moreLosses > 0 ? `\nand ${formatCountOf(moreLosses, "more path")}` : "";
  return `${table([["LOSS", "OBJECTS", "PATH", "EXAMPLE"], ...rows])}${more}`;
}
