import { oneLine } from "#lib/cli/terminal/printable.ts";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import { stateWords } from "#lib/domain/definition/state-words.ts";
import { isLive } from "#lib/domain/rewrite/run.ts";
import { formatCountOf } from "#lib/domain/wording/format-count.ts";
import { afterHeldBack } from "./after-held-back.ts";
import { totalOf } from "./describe-fleet.ts";
import { table } from "./table.ts";

/** One definition: its state and why, its versions, what each leftover blocks, the proof, the latest run, and the next step. */
export function describeDefinition(crd: CrdDetail, program: string): string {
  const next = nextStep(crd, program);
  const facts = [
    ["Name:", crd.name],
    ["Kind:", `${crd.kind} (${crd.scope})`],
    ["State:", stateWords[crd.state]],
    ["Why:", crd.stateReason],
    ["Storage version:", crd.storageVersion ?? "none"],
    ["Stored versions:", crd.storedVersions.join(", ") || "none"],
    ["Objects:", totalOf(crd.objects)],
    ["Conversion:", crd.conversionTarget === null ? crd.conversion : `${crd.conversion}, ${crd.conversionTarget}`],
    ["Proof:", proofOf(crd)],
    ["Latest rewrite:", crd.run ? `${crd.run.phase}, started ${crd.run.startedAt} by ${crd.run.startedBy}` : "none"],
    ...crd.migrations.map(({ name, phase, engine }) => ["Migration:", `${name}, ${phase} (${engine})`]),
    ...(crd.owner ? [["Owner:", crd.owner]] : []),
    ...(next ? [["Next:", next]] : []),
  ];
  const rows = crd.versions.map(({ name, served, storage, deprecated }) => [
    name,
    String(served),
    String(storage),
    crd.storedVersions.includes(name) ? "listed" : "no",
    String(deprecated),
  ]);
  const blocks = crd.leftovers.map(
    ({ version, blocks: words }) => `${oneLine(`If you drop ${version} now, the API server answers:`)}\n  ${oneLine(words)}`,
  );
  return [table(facts), table([["VERSION", "SERVED", "STORAGE", "STORED", "DEPRECATED"], ...rows]), ...blocks].join("\n\n");
}

function proofOf({ proof }: CrdDetail): string {
  if (!proof) return "none";
  const holds = proof.invalidBecause === null ? "" : `; it no longer holds: ${proof.invalidBecause}`;
  return `${formatCountOf(proof.objects, "object")} stored as ${proof.storageVersion}, ${proof.provenAt}${holds}`;
}

// The same as the first action on the definition's page.
function nextStep(crd: CrdDetail, program: string): string | null {
  const command = (name: string) => `${program} ${name} ${crd.name}`;
  if (crd.run && isLive(crd.run)) return null;
  switch (crd.state) {
    case "prunable":
      return command("prune");
    case "needs-rewrite":
      if (crd.actions.rewrite.refusal) return crd.actions.rewrite.refusal;
      if (crd.run?.phase === "interrupted") return `${command("rewrite")} --resume`;
      return command(crd.dryRun?.invalidBecause === null ? "rewrite" : "dry-run");
    case "blocked":
      if (crd.missingStoredVersions.length > 0 && crd.actions.restore.refusal === null) return command("repair");
      if (crd.actions.rewrite.refusal) return crd.actions.rewrite.refusal;
      // Otherwise the rewrite skips the contradicting objects.
      if (crd.contradiction) return `${command("rewrite")} --verify every-object`;
      if (crd.run?.heldBackBecause) return afterHeldBack(crd.run, program);
      return crd.run?.phase === "unproven" ? command("rewrite") : null;
    case "rewriting":
    case "current":
    case "unknown":
      return null;
    default:
      return crd.state satisfies never;
  }
}
