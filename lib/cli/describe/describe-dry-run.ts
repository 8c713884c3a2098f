import { oneLine } from "#lib/cli/terminal/printable.ts";
import type { Preflight } from "#lib/contract/rewrite/dry-run.ts";
import { lossKinds } from "#lib/domain/losses/losses.ts";
import { counted, formatCount } from "#lib/domain/wording/counted.ts";
import { describeRejections, objectName } from "./describe-rejections.ts";
import { table } from "./table.ts";

/** What a dry run found: a verdict, the checks, what would become of the objects, and what would be lost. */
export function describePreflight(preflight: Preflight): string {
  const { checks, dryRun, lossesKnown, lossesUnknownBecause } = preflight;
  const facts = [
    ["Tried:", `${formatCount(dryRun.checked)} of ${formatCount(dryRun.total)}`],
    ["Already current:", formatCount(dryRun.alreadyCurrent)],
    ["Would pass:", formatCount(dryRun.wouldPass)],
    ["Would be rejected:", formatCount(dryRun.wouldBeRejected)],
    ["Can't be dry-run:", formatCount(dryRun.cannotDryRun)],
    ["Gone:", formatCount(dryRun.gone)],
    ["Generation would rise:", formatCount(dryRun.generationRises)],
    ...(lossesKnown ? [] : [["Losses:", `unknown. ${lossesUnknownBecause ?? ""}`]]),
  ];
  const rows = checks.map(({ name, status, message }) => [name, status, message]);
  return [
    oneLine(verdict(preflight)),
    rows.length > 0 && table([["CHECK", "STATUS", "MESSAGE"], ...rows]),
    table(facts),
    describeLosses(preflight),
    describeRejections(dryRun.rejections, "would be rejected"),
    describeRejections(dryRun.cannot, "can't be dry-run"),
  ]
    .filter(Boolean)
    .join("\n\n");
}

function verdict({ phase, crd, storageVersion, message }: Preflight): string {
  switch (phase) {
    case "succeeded":
      return `The dry run of ${crd} to ${storageVersion} came to its end. Nothing was stored.`;
    case "failed":
      return `The dry run failed: ${message ?? "it does not say why."}`;
    case "cancelled":
    case "running":
      return "The dry run was cancelled. Nothing was stored.";
    default:
      return phase satisfies never;
  }
}

function describeLosses({ losses, moreLosses }: Preflight): string {
  if (losses.length === 0) return "";
  const worst = [...losses].sort(
    (one, other) => lossKinds.indexOf(one.kind) - lossKinds.indexOf(other.kind) || other.objects - one.objects,
  );
  const rows = worst.map(({ kind, path, objects, examples: [example] }) => [
    kind,
    formatCount(objects),
    path,
    example ? objectName(example) : "",
  ]);
  const more = moreLosses > 0 ? `\nand ${counted(moreLosses, "path")} beyond these` : "";
  return `${table([["LOSS", "OBJECTS", "PATH", "FOR EXAMPLE"], ...rows])}${more}`;
}
