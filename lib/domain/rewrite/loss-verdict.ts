import type { DryRunRecord } from "#lib/domain/losses/dry-run-record.ts";
import { holdsBack, type LossKind, unlistedPaths } from "#lib/domain/losses/losses.ts";
import { untriedWords } from "#lib/domain/losses/sample-of.ts";
import { formatCountOf } from "#lib/domain/wording/format-count.ts";

/** What a recorded dry run says about losses. `words` completes "… tried:", without a period. */
interface LossVerdict {
  kind: "loses" | "unknown" | "keeps";
  words: string;
}

/** The parts of a recorded dry run that decide. */
export interface TriedObjects
  extends Pick<DryRunRecord, "total" | "checked" | "alreadyCurrent" | "wouldBeRejected" | "cannotDryRun" | "lossesKnown" | "moreLosses"> {
  losses: readonly { kind: LossKind }[];
}

/** What the objects that were tried would lose, as a sentence; empty if the losses themselves are told. */
export function lossSentence(dryRun: TriedObjects & { unknownMayPass: boolean }): string {
  const losesSomething = dryRun.losses.some(({ kind }) => holdsBack(kind));
  if (!dryRun.lossesKnown) {
    return `What ${losesSomething ? "else " : ""}would be lost is unknown${dryRun.unknownMayPass ? ", for a reason that may have passed" : ""}.`;
  }
  if (losesSomething) return "";
  if (untriedWords(dryRun) !== null) return "What would be lost is unknown.";
  if (dryRun.checked === 0) return "Nothing would be lost.";
  if (lossVerdict(dryRun).kind === "unknown") return "What would be lost is unknown, because no object could be compared.";
  return dryRun.wouldBeRejected > 0 ? "The others would lose nothing." : "Those would lose nothing.";
}

/** Whether a rewrite would lose anything that someone has to accept first. */
export function lossVerdict(dryRun: TriedObjects): LossVerdict {
  const { checked, wouldBeRejected, cannotDryRun, losses, moreLosses, lossesKnown } = dryRun;
  const of = (kind: LossKind) => losses.filter((loss) => loss.kind === kind).length;
  const [dropped, changed, owners] = [of("dropped"), of("changed"), of("managed-fields")];
  const told = [
    ...(dropped > 0 ? [`${formatCountOf(dropped, "field")} would be dropped`] : []),
    ...(changed > 0 ? [`${formatCountOf(changed, "value")} would change`] : []),
    ...(owners > 0 ? [`${formatCountOf(owners, "manager")} would lose ownership`] : []),
  ];
  // Which kinds those are that aren't listed is unknown.
  if (losses.some(({ kind }) => holdsBack(kind))) return { kind: "loses", words: `${told.join(", ")}${unlistedPaths(moreLosses)}` };
  // Only an object that would pass shows what it loses.
  const isCompared = checked === 0 ? untriedWords(dryRun) === null : checked > wouldBeRejected + cannotDryRun;
  return lossesKnown && isCompared
    ? { kind: "keeps", words: "nothing would be lost" }
    : { kind: "unknown", words: "what would be lost is unknown" };
}
