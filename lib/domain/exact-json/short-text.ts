import { quoted } from "#lib/domain/wording/quoted.ts";
import { type ExactJson, ExactNumber, isExactObject } from "./exact-json.ts";

/**
 * JSON text for people: numbers and keys as they were sent, cut with … after `length` characters without building the rest. Characters
 * that steer a terminal or turn the text's direction (CVE-2021-42574) are escaped, as JSON allows.
 */
export function shortText(value: ExactJson, length = 200): string {
  let text = "";
  addPieces(value, length, (piece) => {
    text += piece;
    return text.length <= length;
  });
  return text.length > length ? `${withoutHalfCharacter(text.slice(0, length))}…` : text;
}

/** Adds the value's text piece by piece, until there is no room for more. */
function addPieces(value: ExactJson, length: number, add: (piece: string) => boolean): boolean {
  // A copy: the text is a slice of the whole object's, which would stay in memory with it.
  if (value instanceof ExactNumber) return add([...value.text.slice(0, length + 1)].join(""));
  if (typeof value === "string") return add(shortQuoted(value, length));
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      if (!add(index === 0 ? "[" : ",") || !addPieces(item, length, add)) return false;
    }
    return add(value.length === 0 ? "[]" : "]");
  }
  if (!isExactObject(value)) return add(String(value));
  let separator = "{";
  for (const key of firstKeys(value, length)) {
    if (!add(`${separator}${shortQuoted(key, length)}:`) || !addPieces(value[key] ?? null, length, add)) return false;
    separator = ",";
  }
  return add(separator === "{" ? "{}" : "}");
}

const known = new WeakMap<object, { keys: string[]; most: number }>();

/** As many keys as there can be room for. Listing all takes long, and a text of each list around an object may begin with it. */
function firstKeys(value: object, most: number): string[] {
  const before = known.get(value);
  if (before && before.most >= most) return before.keys;
  const all = Object.keys(value);
  if (all.length <= most) return all;
  const keys = all.slice(0, most);
  known.set(value, { keys, most });
  return keys;
}

// One character more than fits, so that a cut string is seen to be longer.
function shortQuoted(text: string, length: number): string {
  return quoted(withoutHalfCharacter(text.slice(0, length + 1)));
}

function withoutHalfCharacter(text: string): string {
  return text.replace(/[\uD800-\uDBFF]$/, "");
}
