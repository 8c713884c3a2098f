import { quoted } from "#lib/domain/wording/quoted.ts";
import { type ExactJson, ExactNumber, isExactObject } from "./exact-json.ts";

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
