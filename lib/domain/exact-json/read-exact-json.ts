import { skipSpace } from "./json-spans.ts";

/** How deep and how much a reader of JSON text reads, and how it gives its numbers. */
interface Limits<Value> {
  levels: number;
  values: number;
  numberOf: (text: string) => Value;
  refusal: (reason: "NestedTooDeep" | "TooManyValues") => Error;
}

interface Reading<Value> extends Pick<Limits<Value>, "numberOf" | "refusal"> {
  json: string;
  at: number;
  levelsLeft: number;
  valuesLeft: number;
}

type Read<Value> = null | boolean | string | Value | Read<Value>[] | { [key: string]: Read<Value> };

/**
 * Reads JSON, and each number as `numberOf` gives it. JSON.parse with a reviver takes ten times as long, most of it for text that is all
 * numbers or braces, as the author of an object may choose. Throws SyntaxError as JSON.parse does, and `refusal` beyond `levels` or more than
 * `values` keys and values.
 */
export function readExactJson<Value>(json: string, { levels, values, numberOf, refusal }: Limits<Value>): Read<Value> {
  const reading = { json, at: 0, levelsLeft: levels, valuesLeft: values, numberOf, refusal };
  const value = readValue(reading);
  reading.at = skipSpace(reading.json, reading.at);
  if (reading.at < json.length) throw unexpected(reading);
  return value;
}

function readValue<Value>(reading: Reading<Value>): Read<Value> {
  countOne(reading);
  reading.at = skipSpace(reading.json, reading.at);
  const character = reading.json[reading.at];
  if (character === '"') return readString(reading);
  if (character === "{" || character === "[") {
    if (reading.levelsLeft === 0) throw reading.refusal("NestedTooDeep");
    reading.levelsLeft -= 1;
    reading.at += 1;
    const value = character === "{" ? readObject(reading) : readList(reading);
    reading.levelsLeft += 1;
    return value;
  }
  if (character === "t") return readWord(reading, "true", true);
  if (character === "f") return readWord(reading, "false", false);
  if (character === "n") return readWord(reading, "null", null);
  return readNumber(reading);
}

/** Counts a value or a key, which takes longer than a value. */
function countOne(reading: Reading<unknown>): void {
  if (reading.valuesLeft === 0) throw reading.refusal("TooManyValues");
  reading.valuesLeft -= 1;
}

function readList<Value>(reading: Reading<Value>): Read<Value>[] {
  const items: Read<Value>[] = [];
  if (isNext(reading, "]")) return items;
  for (;;) {
    items.push(readValue(reading));
    if (isNext(reading, "]")) return items;
    demand(reading, ",");
  }
}

function readObject<Value>(reading: Reading<Value>): { [key: string]: Read<Value> } {
  const object: { [key: string]: Read<Value> } = {};
  if (isNext(reading, "}")) return object;
  for (;;) {
    reading.at = skipSpace(reading.json, reading.at);
    const key = readString(reading);
    countOne(reading);
    demand(reading, ":");
    const value = readValue(reading);
    // Assigning would set the prototype.
    if (key === "__proto__") Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
    else object[key] = value;
    if (isNext(reading, "}")) return object;
    demand(reading, ",");
  }
}

function readString(reading: Reading<unknown>): string {
  const { json, at: start } = reading;
  if (json[start] !== '"') throw unexpected(reading);
  let isPlain = true;
  let at = start + 1;
  for (; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) break;
    if (code === BACKSLASH) at += 1;
    if (code === BACKSLASH || code < SPACE) isPlain = false;
  }
  reading.at = at;
  if (at >= json.length) throw unexpected(reading);
  reading.at += 1;
  // Checks escapes, and refuses control characters.
  return isPlain ? json.slice(start + 1, at) : JSON.parse(json.slice(start, at + 1));
}

const [QUOTE, BACKSLASH, SPACE] = [0x22, 0x5c, 0x20];
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

function readNumber<Value>(reading: Reading<Value>): Value {
  const from = reading.at;
  NUMBER.lastIndex = from;
  // `exec` would make a list of each number.
  if (!NUMBER.test(reading.json)) throw unexpected(reading);
  reading.at = NUMBER.lastIndex;
  return reading.numberOf(reading.json.slice(from, reading.at));
}

function readWord<Word>(reading: Reading<unknown>, text: string, word: Word): Word {
  if (!reading.json.startsWith(text, reading.at)) throw unexpected(reading);
  reading.at += text.length;
  return word;
}

/** Whether this character is next; if so, it is taken. */
function isNext(reading: Reading<unknown>, character: string): boolean {
  reading.at = skipSpace(reading.json, reading.at);
  if (reading.json[reading.at] !== character) return false;
  reading.at += 1;
  return true;
}

function demand(reading: Reading<unknown>, character: string): void {
  if (!isNext(reading, character)) throw unexpected(reading);
}

function unexpected({ json, at }: Reading<unknown>): SyntaxError {
  return new SyntaxError(at < json.length ? `Unexpected character in JSON at position ${at}` : "Unexpected end of JSON");
}
