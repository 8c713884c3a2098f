import { isSameValue } from "./is-same-value.ts";

/** In characters. So many take up to a quarter of a second; real objects have a few values that are written otherwise. */
const MOST_READ = 250_000;
/** No longer text is read as a duration, a quantity or a time. */
const LONGEST_READ = 100;
/** What comparing two texts takes however short they are, in characters. */
const AT_LEAST = 10;

/** isSameValue for one comparison of objects. After many values it is false, so that the rest are told as changed: nobody waits for more. */
export function limitedSameValue(): typeof isSameValue {
  let left = MOST_READ;
  return (before, after, schema) => {
    if (schema === undefined || typeof before !== "string" || typeof after !== "string") return false;
    left -= AT_LEAST + readOf(before) + readOf(after);
    return left >= 0 && isSameValue(before, after, schema);
  };
}

function readOf(text: string): number {
  return text.length > LONGEST_READ ? 0 : text.length;
}
