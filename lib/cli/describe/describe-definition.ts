import { table } from "#lib/cli/terminal/table.ts";
import { oneLine } from "#lib/cluster/transport/printable.ts";
import type { CrdDetail, ObjectTotal } from "#lib/contract/definition/crd.ts";
import { claimWords } from "#lib/domain/audit/proof-standing.ts";
import { conversionAdvice } from "#lib/domain/conversion/conversion-failure.ts";
import { contradictionReason } from "#lib/domain/definition/contradiction.ts";
import { stateWords } from "#lib/domain/definition/crd-state.ts";
import { type NextStep, nextStep } from "#lib/domain/definition/next-step.ts";
import { RESTORED_STEP, RESTORED_TITLE, restoredWords } from "#lib/domain/definition/restored-etcd.ts";
import { sampleOf } from "#lib/domain/losses/sample-of.ts";
import { formatCount, formatCountOf } from "#lib/domain/wording/format-count.ts";
import { formatDuration } from "#lib/domain/wording/format-duration.ts";
import { localTime } from "#lib/domain/wording/local-time.ts";
import { describeLosses } from "./describe-dry-run.ts";
import { describeRejections, nextStepWords } from "./describe-run.ts";

/** One definition: its state and why, its versions, what each leftover blocks, the proof, the latest run, and the next step. */
export function describeDefinition(crd: CrdDetail, program: string, now: number): string {
  const next = nextStep(crd);
  const advice = crd.state === "blocked" || crd.state === "rewriting" ? conversionAdvice(crd.stateReason) : null;
  const words = nextStepWords(next, { crd: crd.name, program, now, dryRun: crd.dryRun, versions: crd.versions });
  const facts = [
    ["Name:", crd.name],
    ["Kind:", `${crd.kind} (${crd.scope})`],
    ["State:", stateWords[crd.state]],
    ["Why:", crd.stateReason],
    ...(crd.restoredEtcd ? [["Restored:", `${RESTORED_TITLE}. ${restoredWords(crd.restoredEtcd)} ${RESTORED_STEP}`]] : []),
    ...(advice === null ? [] : [["Fix:", advice]]),
    ...(crd.activeRun?.retryAt ? [["Next try:", `in ${formatDuration(Math.max(0, Date.parse(crd.activeRun.retryAt) - now))}`]] : []),
    ["Storage version:", crd.storageVersion ?? "none"],
    ["Stored versions:", crd.storedVersions.join(", ") || "none"],
    ["Objects:", totalOf(crd.objects)],
    ["Conversion:", crd.conversionTarget === null ? crd.conversion : `${crd.conversion}, ${crd.conversionTarget}`],
    ["Proof:", proofOf(crd, now)],
    ["Latest rewrite:", crd.run ? `${crd.run.phase}, started ${localTime(crd.run.startedAt, now)} by ${crd.run.startedBy}` : "none"],
    ...crd.migrations.map(({ name, phase, engine }) => ["Migration:", `${name}, ${phase} (${engine})`]),
    ...(crd.moreMigrations > 0 ? [["Migrations:", `${formatCountOf(crd.moreMigrations, "older one")} not shown`]] : []),
    ...(crd.owner ? [["Owner:", crd.owner]] : []),
    ...(words ? [["Next:", words]] : []),
  ];
  const rows = crd.versions.map(({ name, served, storage, deprecated }) => [
    name,
    String(served),
    String(storage),
    crd.storedVersions.includes(name) ? "listed" : crd.missingStoredVersions.includes(name) ? "missing" : "not listed",
    String(deprecated),
  ]);
  const blocks = crd.leftovers.map(
    ({ version, blocks: words }) => `${oneLine(`If you drop ${version} now, the API server answers:`)}\n  ${oneLine(words)}`,
  );
  return [table(facts), table([["VERSION", "SERVED", "STORAGE", "STORED", "DEPRECATED"], ...rows]), evidenceOf(next, crd), ...blocks]
    .filter(Boolean)
    .join("\n\n");
}

function proofOf({ proof, contradiction }: CrdDetail, now: number): string {
  if (!proof) return "none";
  const holds = {
    valid: contradiction ? `; a count in etcd speaks against it: ${contradictionReason(contradiction)}` : "",
    claimed: `; ${claimWords(proof)}`,
    void: `; it no longer holds: ${proof.invalidBecause}`,
  }[proof.standing];
  return `${formatCountOf(proof.objects, "object")} stored as ${proof.storageVersion}, ${localTime(proof.provenAt, now)}${holds}`;
}

/** What the next step is about: the losses to review, or the objects that were rejected. */
function evidenceOf(next: NextStep, { run, dryRun }: CrdDetail): string {
  if (next.step === "see-rejections" && next.in === "run" && run) return describeRejections(run.rejections);
  return next.step === "review-losses" && dryRun?.id === next.dryRun && dryRun ? describeLosses(dryRun, sampleOf(dryRun)) : "";
}

/** The number of objects, or its basis if there is none; `~` marks one that comes from metrics. */
export function totalOf({ total, basis }: ObjectTotal): string {
  switch (basis) {
    case "list":
      return formatCount(total);
    case "metrics":
      return `~${formatCount(total)}`;
    case "denied":
    case "failed":
    case "unknown":
      return basis;
    default:
      return basis satisfies never;
  }
}
