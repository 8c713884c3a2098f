import type { Crd } from "#lib/domain/definition/crd.ts";
import type { DryRunRecord } from "#lib/domain/losses/dry-run-record.ts";
import { lastPrune } from "#lib/domain/record/last-prune.ts";
import { readableRecord } from "#lib/domain/record/rewrite-record.ts";
import { checkedWords, rejectionWords } from "#lib/domain/rewrite/checked-words.ts";
import { lossVerdict } from "#lib/domain/rewrite/loss-verdict.ts";
import { asOf, type Run, reasonWithCaveats } from "#lib/domain/rewrite/run.ts";
import { endSentence, isEnd, startSentence } from "#lib/domain/rewrite/run-sentences.ts";
import { firstOf } from "#lib/domain/wording/first-of.ts";
import { formatCountOf } from "#lib/domain/wording/format-count.ts";
import type { Action, ActionKind } from "./action.ts";
import { knownUser } from "./known-user.ts";
import { proofSentence } from "./proof-standing.ts";
import { successEvidence } from "./success-evidence.ts";
import { type SuccessEvidence, successSentence, successStanding } from "./success-standing.ts";

/** Beyond actions: dry runs, proofs, and claimed proofs, found only in the annotation, and Events from a newer crdshift. */
export type HistoryKind = ActionKind | "dry-run" | "proven" | "claimed" | "other";

export interface HistoryFact extends Omit<Action, "kind"> {
  kind: HistoryKind;
}

export const historySources = ["annotation", "event"] as const;
export type HistorySource = (typeof historySources)[number];

export interface HistoryEntry extends Omit<HistoryFact, "by"> {
  /** The user and the source of the name. An Event may name anyone, so the annotation's name comes first. Null without a name. */
  by: { user: string; from: HistorySource } | null;
  /** Sources of the entry; the annotation wins when both have it. */
  sources: HistorySource[];
}

/** Kinds that can occur more than once per run. */
const REPEATED: readonly HistoryKind[] = ["paused", "resumed", "limited", "interrupted", "dry-run", "cleaned", "other"];

/** The facts in the definition's annotations at `now` (ms). */
export function rememberedFacts(crd: Crd, now: number): HistoryFact[] {
  return [...recordedFacts(crd, now), ...keptFacts(crd)];
}

// Entries kept for undo record when they were removed, and by whom.
function keptFacts({ removedVersions, droppedConversion }: Pick<Crd, "removedVersions" | "droppedConversion">): HistoryFact[] {
  const facts = removedVersions.map(
    ({ version, removedAt, by }): HistoryFact => ({
      ...{ kind: "removed", at: removedAt, by, run: null, versions: [version] },
      message: removalSentence(version),
    }),
  );
  if (droppedConversion) {
    const { target, droppedAt: at, by } = droppedConversion;
    facts.push({ kind: "unconverted", at, by, run: null, message: conversionDropSentence(target) });
  }
  return facts;
}

export function removalSentence(version: string): string {
  return `${version} was removed from spec.versions.`;
}

export function conversionDropSentence(target: string): string {
  return `The conversion webhook at ${target} was dropped.`;
}

function recordedFacts(crd: Crd, now: number): HistoryFact[] {
  const record = readableRecord(crd);
  if (!record) return [];
  const { dryRun, proof } = record;
  const prune = lastPrune(crd);
  const evidence = successEvidence(crd, record);
  const claim = evidence.proof?.standing === "claimed" ? evidence.proof : null;
  const facts = record.runs.flatMap((run) => factsOf(asOf(run, now), evidence));
  if (dryRun) {
    facts.push({
      ...{ kind: "dry-run", at: dryRun.endedAt, by: crd.claims.dryRun ? null : knownUser(dryRun.startedBy), run: null },
      message: crd.claims.dryRun
        ? "A dry run that no rewrite relies on: this installation didn't sign it, or etcd was restored since."
        : dryRunSentence(dryRun),
    });
  }
  if (claim) {
    facts.push({ kind: "claimed", at: claim.provenAt, by: null, run: claim.runId, message: proofSentence(claim) });
  } else if (proof) {
    facts.push({
      ...{ kind: "proven", at: proof.provenAt, by: null, run: proof.runId },
      message: `Proven for generation ${proof.generation}: ${formatCountOf(proof.objects, "object")} at ${proof.storageVersion}, verified at resourceVersion ${proof.verifiedResourceVersion}.`,
    });
  }
  if (prune) {
    const { versions, prunedAt: at, by, runId: run } = prune;
    facts.push({ kind: "pruned", at, by, run, versions, message: pruneSentence(versions) });
  }
  return facts;
}

function dryRunSentence(dryRun: DryRunRecord): string {
  return `Dry run: ${checkedWords(dryRun)}; ${rejectionWords(dryRun)}; ${lossVerdict(dryRun).words}.`;
}

export function pruneSentence(versions: readonly string[]): string {
  return `Pruned ${firstOf(versions)} from status.storedVersions.`;
}

/** Two reports of a one-time action are the same entry if they are at most this far apart. */
const SAME_WITHIN_MS = 60_000;

/**
 * One entry per fact, newest first. A fact in both the annotation and an Event becomes one entry with the annotation's text. Anyone who can
 * create Events can put any name in one, so a name from an Event stays marked as such.
 */
export function mergeHistory(remembered: readonly HistoryFact[], told: readonly HistoryFact[]): HistoryEntry[] {
  const entries = new Map<string, HistoryEntry>();
  for (const fact of remembered) entries.set(identityOf(fact), { ...fact, by: named(fact, "annotation"), sources: ["annotation"] });
  for (const [index, fact] of told.entries()) {
    const known = entries.get(identityOf(fact));
    const isUntold = known?.sources.length === 1 && known.sources[0] === "annotation";
    if (isUntold && Math.abs(Date.parse(known.at) - Date.parse(fact.at)) <= SAME_WITHIN_MS) {
      entries.set(identityOf(fact), { ...known, by: known.by ?? named(fact, "event"), sources: ["annotation", "event"] });
    } else {
      entries.set(`event ${index}`, { ...fact, by: named(fact, "event"), sources: ["event"] });
    }
  }
  // Parsed once each, because each is compared a dozen times.
  const timed = [...entries.values()].map((entry) => ({ entry, at: Date.parse(entry.at) }));
  return timed.sort((one, other) => other.at - one.at || reasonLast(one.entry, other.entry)).map(({ entry }) => entry);
}

// A reason precedes the action it justifies, even in the same millisecond.
function reasonLast(one: HistoryEntry, other: HistoryEntry): number {
  return Number(one.kind === "justified") - Number(other.kind === "justified");
}

/** All entries from the annotation plus at most `mostTold` known only from Events, given newest first; `more` are left out. */
export function newestEntries(entries: readonly HistoryEntry[], mostTold: number): { items: HistoryEntry[]; more: number } {
  const told = entries.filter(({ sources }) => !sources.includes("annotation"));
  const left = new Set(told.slice(mostTold));
  return { items: entries.filter((entry) => !left.has(entry)), more: left.size };
}

function named({ by }: HistoryFact, from: HistorySource): HistoryEntry["by"] {
  return by === null ? null : { user: by, from };
}

/** A run starts and ends once. Repeatable actions, and those without a run, are identified by time. */
function identityOf({ kind, run, at }: HistoryFact): string {
  const isOnce = run !== null && !REPEATED.includes(kind) && kind !== "pruned" && kind !== "unpruned" && kind !== "repaired";
  return isOnce ? `${kind} ${run}` : `${kind} at ${Date.parse(at)}`;
}

function factsOf(run: Run, evidence: SuccessEvidence): HistoryFact[] {
  const of = { run: run.id };
  const facts: HistoryFact[] = [{ ...of, kind: "started", at: run.startedAt, by: knownUser(run.startedBy), message: startSentence(run) }];
  for (const { at, because, remaining } of run.interruptions) {
    const then = { ...run, phase: "interrupted" as const, statusReason: because, caveats: [], counts: { ...run.counts, remaining } };
    facts.push({ ...of, kind: "interrupted", at, by: null, message: endSentence(then) });
  }
  if (run.takenOverAt) {
    const message = "Another crdshift took over because the one running it stopped responding.";
    facts.push({ ...of, kind: "resumed", at: run.takenOverAt, by: null, message });
  }
  const { phase } = run;
  if (isEnd(phase)) {
    const message = phase === "succeeded" ? successMessage({ ...run, phase }, evidence) : endSentence({ ...run, phase });
    facts.push({ ...of, kind: phase, at: run.endedAt ?? run.renewedAt, by: null, message });
  }
  return facts;
}

// An entry of the past, but read as what is true now.
function successMessage(run: Run & { phase: "succeeded" }, evidence: SuccessEvidence): string {
  const standing = successStanding(run, evidence);
  if (standing.state === "proven") {
    const { objects: provenObjects, storageVersion } = standing.proof;
    return endSentence({ ...run, provenObjects, storageVersion });
  }
  return [successSentence(run, standing), reasonWithCaveats(run)].filter(Boolean).join(" ");
}
