import { table } from "#lib/cli/terminal/table.ts";
import { oneLine } from "#lib/cluster/transport/printable.ts";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import type { Run } from "#lib/contract/rewrite/run.ts";
import { endedVerdict } from "#lib/domain/audit/ended-verdict.ts";
import { successStanding } from "#lib/domain/audit/success-standing.ts";
import { type NextStep, nextStepAfter, nextStepAfterRun } from "#lib/domain/definition/next-step.ts";
import { unacceptedLosses } from "#lib/domain/losses/losses.ts";
import { delegates } from "#lib/domain/rewrite/engines.ts";
import { type KnownMigration, knownMigration, MAY_BE_CREATED } from "#lib/domain/rewrite/known-migration.ts";
import { isLive, type ObjectName } from "#lib/domain/rewrite/run.ts";
import { rewrittenWords } from "#lib/domain/rewrite/run-sentences.ts";
import { formatCount, formatCountOf } from "#lib/domain/wording/format-count.ts";
import { fullName } from "#lib/domain/wording/full-name.ts";
import { localTimes } from "#lib/domain/wording/local-time.ts";

interface Told {
  /** The versions left to prune; null if unknown. */
  leftovers: readonly string[] | null;
  /** The program's name in commands. */
  program: string;
  /** The definition after the run; null if unknown. */
  crd?: CrdDetail | null;
}

/** How a run ended, the outcome for the objects, and the next step. */
export function describeRun(run: Run, { leftovers, program, crd = null }: Told): string {
  const { phase, counts, rejections, throughStatus, ownership } = run;
  const verdict = endedVerdict(run, crd, crd?.run?.id);
  // Without a verdict the run continues elsewhere, so its end is unknown.
  const sentence = verdict
    ? [verdict.sentence, verdict.because].filter(Boolean).join(" ")
    : `The rewrite no longer runs in this process. It shows as ${phase}.`;
  const delegated = delegates(run.engine);
  const facts = [
    ["Definition:", run.crd],
    ["Run:", `${run.id}, by ${run.startedBy}`],
    ["Phase:", phase],
    [delegated ? "Rewritten by crdshift:" : "Rewritten:", rewrittenWords(run)],
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
  const next = oneLine(nextStepOf(run, { leftovers, program, crd }));
  return [oneLine(sentence), table(facts), describeRejections(rejections), next].filter(Boolean).join("\n\n");
}

/** Whether the run, one of this process, reports success, but its proof no longer holds, or isn't on record as it was signed. */
export function hasLostProof(run: Run, crd: CrdDetail | null): boolean {
  const { state } = successStanding(run, crd);
  return run.phase === "succeeded" && (state === "void" || state === "missing" || state === "claimed");
}

function delegationFacts(run: Run): string[][] {
  const { delegation } = run;
  if (!delegation) return [];
  const { migration, message, left, putBack } = delegation;
  const known = migrationWords(knownMigration(run, delegation));
  return [
    ["Delegated to:", `StorageVersionMigration ${migration}, ${[known, message].filter(Boolean).join(". ")}`],
    ...(left === null ? [] : [["Abandoned:", left]]),
    ...(putBack.length > 0 ? [["Repaired:", putBack.join(", ")]] : []),
  ];
}

function migrationWords(known: KnownMigration): string {
  switch (known) {
    case "none":
      return "not running";
    case "none-yet":
      return "not on record yet";
    case "unknown":
      return MAY_BE_CREATED;
    case "pending":
    case "running":
    case "succeeded":
    case "failed":
      return known;
    default:
      return known satisfies never;
  }
}

function nextStepOf(run: Run, { leftovers, program, crd = null }: Told): string {
  if (leftovers === null && run.phase === "succeeded") return `To see if there is anything to prune: ${program} status ${run.crd}`;
  const next = crd && !isLive(run) ? nextStepAfter(run, crd) : nextStepAfterRun(run, leftovers ?? []);
  const isAllDone = run.phase === "succeeded" && leftovers?.length === 0 && (crd === null || crd.run?.id === run.id);
  if (next.step === "none" && !isAllDone) return `To see what is next: ${program} status ${run.crd}`;
  const words = nextStepWords(next, { crd: run.crd, program, now: Date.now(), dryRun: crd?.dryRun ?? null, versions: crd?.versions ?? [] });
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

/** An object's full name, safe for a terminal. */
export function objectName(object: ObjectName): string {
  return oneLine(fullName(object));
}

interface Around extends Pick<Told, "program"> {
  /** The definition's name. */
  crd: string;
  now: number;
  /** The recorded dry run; null if there is none, or if it is unknown. */
  dryRun: CrdDetail["dryRun"];
  versions: CrdDetail["versions"];
}

/** The next step on the definition as a command line; null if there is none. */
export function nextStepWords(next: NextStep, { crd, program, now, dryRun: recorded, versions }: Around): string | null {
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
    case "clean": {
      const carryOver = next.canCarryOver ? `, or carry over what fits: ${rewrite} --keep-ownership` : "";
      const prune = next.canPrune ? `; to prune meanwhile: ${program} prune ${crd}` : "";
      return `Clean ${next.versions.join(", ")} under Managed fields on the definition's page${carryOver}${prune}`;
    }
    case "resume":
      return `${rewrite} --resume`;
    case "review-losses":
      return acceptLossesWords(next, { recorded, versions, dryRun, rewrite });
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

type Versions = readonly Pick<CrdDetail["versions"][number], "served">[];

/** What a rewrite needs to go on in spite of its losses, as command lines. */
function acceptLossesWords(
  { dryRun: id, canKeepOwnership }: Extract<NextStep, { step: "review-losses" }>,
  { recorded, versions, dryRun, rewrite }: { recorded: CrdDetail["dryRun"]; versions: Versions; dryRun: string; rewrite: string },
): string {
  const known = recorded?.id === id ? recorded : null;
  const listed = known && unacceptedLosses(known, { keepOwnership: false });
  if (listed?.length === 0) return `See why losses are unknown: ${dryRun}; accept them unseen and continue: ${rewrite} --accept-unseen`;
  // No object can be checked then, so the rewrite goes on only if the rest is accepted, too.
  const isHidden = known?.lossesKnown === false && versions.some(({ served }) => !served);
  const keeps = canKeepOwnership && (listed?.some(({ kind }) => kind === "managed-fields") ?? true);
  return [
    `See the losses: ${dryRun}; accept them${isHidden ? ", and what is unknown," : ""} and continue: ${rewrite} --accept-losses`,
    ...(isHidden ? ["--accept-unseen"] : []),
    ...(keeps ? ["(add --keep-ownership to keep managedFields)"] : []),
  ].join(" ");
}
