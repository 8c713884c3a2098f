import { formatCountOf } from "#lib/domain/wording/format-count.ts";
import { type Sample, sampleWords } from "./sample-of.ts";

/**
 * What a rewrite changes in an object beyond its storage version: it drops a field that the storage version lacks, changes a value,
 * loses a managedFields entry, stores a default, or writes the same value otherwise.
 */
export const lossKinds = ["dropped", "changed", "managed-fields", "defaulted", "equivalent"] as const;
export type LossKind = (typeof lossKinds)[number];

/** The loss at one path of one object. For managed-fields, the path names the manager. */
export interface ObjectLoss {
  kind: LossKind;
  path: string;
  /** The values as JSON text, cut after 200 characters; null where there is none. With several at a folded path, those of the first. */
  before: string | null;
  after: string | null;
}

/** An object with the loss. A record in the annotation has no values: not all who may read the definition may read its objects. */
export interface LossExample extends Pick<ObjectLoss, "before" | "after"> {
  namespace: string;
  name: string;
  /** The version at which the loss was seen; null where it isn't recorded. */
  version: string | null;
}

/** A loss aggregated over all objects that were checked. */
export interface Loss extends Pick<ObjectLoss, "kind" | "path"> {
  objects: number;
  examples: LossExample[];
}

/** Of the paths that a list of losses leaves out, no more are counted. */
export const MOST_COUNTED = 10_000;

/** "1 more path", "at least 10,000 more paths": how many a list of losses leaves out. */
export function formatMorePaths(more: number): string {
  return `${more >= MOST_COUNTED ? "at least " : ""}${formatCountOf(more, "more path")}`;
}

/** The same in parentheses, to end what tells of the listed ones; empty if none is left out. */
export function unlistedPaths(more: number): string {
  return more > 0 ? ` (${formatMorePaths(more)} not listed)` : "";
}

/** Whether a loss holds a rewrite back until it is accepted. Stored defaults and equivalent values are reported but don't. */
export function holdsBack(kind: LossKind): boolean {
  return kind !== "defaulted" && kind !== "equivalent";
}

/** The label and meaning of each kind of loss. */
export const lossWords: Record<LossKind, { word: string; meaning: string }> = {
  dropped: { word: "dropped", meaning: "The storage version's schema doesn't have this field, so its value is deleted from etcd." },
  changed: { word: "changed", meaning: "The rewrite changes this value." },
  "managed-fields": {
    word: "ownership lost",
    meaning: "The manager loses its entry in managedFields; its next server-side apply conflicts unless forced.",
  },
  defaulted: {
    word: "added",
    meaning:
      "A default, or what a webhook or policy adds, becomes part of the stored object. Nothing is lost, and this doesn't hold a rewrite back.",
  },
  equivalent: {
    word: "rewritten the same",
    meaning: "The same value, written differently. This doesn't hold a rewrite back.",
  },
};

/** What an object has and would have, as `"90s" → "1m30s"`, or only one of the two; null where no values are known. */
export function lossValues({ before, after }: Pick<LossExample, "before" | "after">): string | null {
  return before !== null && after !== null ? `${before} → ${after}` : (before ?? after);
}

/** What would happen to a path that a loss of this kind names. */
export const lossVerbs: Record<LossKind, string> = {
  dropped: "would be dropped",
  changed: "would change",
  "managed-fields": "would be lost",
  defaulted: "would be added",
  equivalent: "would be rewritten the same",
};

/** Losses sorted by kind, then by number of objects, then by path. */
export function worstFirst<Some extends Pick<Loss, "kind" | "path" | "objects">>(losses: readonly Some[]): Some[] {
  return [...losses].sort(
    (one, other) =>
      lossKinds.indexOf(one.kind) - lossKinds.indexOf(other.kind) || other.objects - one.objects || one.path.localeCompare(other.path),
  );
}

/** The losses that hold a rewrite back, without managedFields if the rewrite keeps ownership. */
export function unacceptedLosses(dryRun: { losses: Loss[] }, keeping: { keepOwnership: boolean }): Loss[] {
  return dryRun.losses.filter(({ kind }) => needsConsent(kind, keeping));
}

/**
 * Whether losses that hold a rewrite back may be among those that a dry run doesn't list: it leaves out the most benign kinds first, but
 * one of each (mostLosses).
 */
export function mayLeaveOutLosses(
  { losses, moreLosses }: { losses: readonly Loss[]; moreLosses: number },
  keeping: { keepOwnership: boolean },
): boolean {
  if (moreLosses === 0) return false;
  const last = lossKinds.findLastIndex((kind) => losses.filter((loss) => loss.kind === kind).length > 1);
  return lossKinds.slice(Math.max(0, last)).some((kind) => needsConsent(kind, keeping));
}

function needsConsent(kind: LossKind, { keepOwnership }: { keepOwnership: boolean }): boolean {
  return holdsBack(kind) && !(kind === "managed-fields" && keepOwnership);
}

/** "5 objects", or "at least 5 objects" of those that a sample stands for. */
export function formatLosing(objects: number, sample: Sample | null): string {
  return `${sample ? "at least " : ""}${formatCountOf(objects, "object")}`;
}

/**
 * The losses as a sentence, starting with the most frequent. `more` are the paths that the list leaves out; `sample` is what was checked, if
 * not all objects were.
 */
export function describeLosses(losses: readonly Loss[], more: number, sample: Sample | null): string {
  const [first, ...rest] = [...losses].sort((one, other) => other.objects - one.objects);
  if (!first) return "nothing would be lost";
  const others = rest.length > 0 ? `, and ${formatCountOf(rest.length, "other path")} would be affected` : "";
  const within = `${formatLosing(first.objects, sample)}${sample ? ` (${sampleWords(sample)})` : ""}`;
  return `${first.path} ${lossVerbs[first.kind]} in ${within}${others}${unlistedPaths(more)}`;
}
