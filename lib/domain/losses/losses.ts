import { type ExactJson, ExactNumber, isExactObject } from "#lib/domain/exact-json/exact-json.ts";
import { quoted } from "#lib/domain/wording/quoted.ts";

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

/** An object with the loss. A record in the annotation has no values: who may read the definition may not be allowed to read its objects. */
export interface LossExample extends Pick<ObjectLoss, "before" | "after"> {
  namespace: string;
  name: string;
  /** The version at which the loss was seen; null where it isn't recorded. */
  version: string | null;
}

/** A loss aggregated over all objects. */
export interface Loss extends Pick<ObjectLoss, "kind" | "path"> {
  objects: number;
  examples: LossExample[];
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
    word: "default added",
    meaning: "A default becomes part of the stored object. Nothing is lost, and no rewrite is held back for it.",
  },
  equivalent: {
    word: "rewritten the same",
    meaning: "The same value, written otherwise. Nothing is lost, and no rewrite is held back for it.",
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

const SHOWN_PATH = 300;

/** The path as dry runs list it: an object's key can be as long as the object. Paths with the same beginning count as one. */
export function shownPath(path: string): string {
  return path.length > SHOWN_PATH ? `${path.slice(0, SHOWN_PATH)}…` : path;
}

/** Losses sorted by kind, then by number of objects, then by path. */
export function worstFirst<Some extends Pick<Loss, "kind" | "path" | "objects">>(losses: readonly Some[]): Some[] {
  return [...losses].sort(
    (one, other) =>
      lossKinds.indexOf(one.kind) - lossKinds.indexOf(other.kind) || other.objects - one.objects || one.path.localeCompare(other.path),
  );
}

/**
 * JSON text for people: numbers and keys as they were sent, cut with … after `length` characters without building the rest. Characters
 * that steer a terminal or turn the text's direction (CVE-2021-42574) are escaped, as JSON allows.
 */
export function shortText(value: ExactJson, length = 200): string {
  let text = "";
  for (const piece of pieces(value, length)) {
    text += piece;
    if (text.length > length) return `${withoutHalfCharacter(text.slice(0, length))}…`;
  }
  return text;
}

function* pieces(value: ExactJson, length: number): Generator<string> {
  // A copy: the text is a slice of the whole object's, which would stay in memory with it.
  if (value instanceof ExactNumber) yield [...value.text.slice(0, length + 1)].join("");
  else if (typeof value === "string") yield shortQuoted(value, length);
  else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield index === 0 ? "[" : ",";
      yield* pieces(item, length);
    }
    yield value.length === 0 ? "[]" : "]";
  } else if (isExactObject(value)) {
    let separator = "{";
    for (const [key, item] of Object.entries(value)) {
      yield `${separator}${shortQuoted(key, length)}:`;
      separator = ",";
      yield* pieces(item, length);
    }
    yield separator === "{" ? "{}" : "}";
  } else yield String(value);
}

// One character more than fits, so that a cut string is seen to be longer.
function shortQuoted(text: string, length: number): string {
  return quoted(withoutHalfCharacter(text.slice(0, length + 1)));
}

function withoutHalfCharacter(text: string): string {
  return text.replace(/[\uD800-\uDBFF]$/, "");
}
