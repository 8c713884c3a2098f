import { readExactJson } from "./read-exact-json.ts";

/** A JSON value that keeps numbers as their source text, so int64 and `1.0` stay exact. */
export type ExactJson = null | boolean | string | ExactNumber | ExactJson[] | { [key: string]: ExactJson };

/** A number as written. A class, so no cluster object can be mistaken for one. */
export class ExactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Deeper than any real object. All that recurses into a value overflows the stack at a few thousand. */
export const EXACT_LEVELS = 1_000;

/**
 * More keys and values than any real object has. Parsing so many takes at most a seventh of a second, and comparing them less than half of
 * one; meanwhile nobody else gets an answer.
 */
export const OBJECT_VALUES = 250_000;

/** Why text isn't read. */
export type Unreadable = "NestedTooDeep" | "TooManyValues";

const WHY: Record<Unreadable, string> = {
  NestedTooDeep: `It is nested deeper than ${EXACT_LEVELS.toLocaleString("en-US")} levels`,
  TooManyValues: `It has more than ${OBJECT_VALUES.toLocaleString("en-US")} keys and values`,
};

/** A class, so that whoever reads objects can tell it from every other failure. */
export class UnreadableJson extends Error {
  readonly reason: Unreadable;

  constructor(reason: Unreadable) {
    super(`${WHY[reason]}, so crdshift can't read it.`);
    this.reason = reason;
  }
}

/** Parses JSON without rounding numbers. Throws SyntaxError for invalid JSON, and UnreadableJson beyond 1,000 levels. */
export function parseExactJson(text: string): ExactJson {
  return parsedWithin(text, Number.POSITIVE_INFINITY);
}

/**
 * Parses the JSON of one object, whose author chooses how much it holds: two bytes of text become a hundred in memory. Unlike
 * parseExactJson, it throws UnreadableJson beyond 250,000 keys and values, too.
 */
export function parseObject(text: string): ExactJson {
  return parsedWithin(text, OBJECT_VALUES);
}

// Counted while they are read, which takes no time, unlike another pass over the text.
function parsedWithin(text: string, values: number): ExactJson {
  return readExactJson(text, {
    ...{ levels: EXACT_LEVELS, values },
    numberOf: (number) => new ExactNumber(number),
    refusal: (reason) => new UnreadableJson(reason),
  });
}

/** A JavaScript value as exact JSON. A bigint stays exact; values without a JSON form become null. */
export function exactJson(value: unknown): ExactJson {
  if (typeof value === "bigint" || (typeof value === "number" && Number.isFinite(value))) return new ExactNumber(String(value));
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (Array.isArray(value)) return value.map(exactJson);
  if (typeof value !== "object" || value === null) return null;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, exactJson(item)]));
}

export function isExactObject(value: ExactJson | undefined): value is { [key: string]: ExactJson } {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
}

/** The own property, or undefined: `__proto__` and `constructor` are keys like any other. */
export function exactProperty(value: ExactJson | undefined, key: string): ExactJson | undefined {
  return isExactObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** Canonical text: equal for equal values, with numbers as written and sorted keys. */
export function exactText(value: ExactJson): string {
  const pieces: string[] = [];
  addPieces(pieces, value);
  return pieces.join("");
}

// Joined once: text built level by level would copy all that is below each level.
function addPieces(pieces: string[], value: ExactJson): void {
  if (Array.isArray(value)) {
    pieces.push("[");
    for (const [index, item] of value.entries()) {
      if (index > 0) pieces.push(",");
      addPieces(pieces, item);
    }
    pieces.push("]");
  } else if (isExactObject(value)) {
    let separator = "{";
    for (const key of Object.keys(value).sort()) {
      pieces.push(separator, JSON.stringify(key), ":");
      addPieces(pieces, value[key] ?? null);
      separator = ",";
    }
    pieces.push(separator === "{" ? "{}" : "}");
  } else pieces.push(value instanceof ExactNumber ? value.text : JSON.stringify(value));
}

/** Deeper than any real definition; recursive walks of deeper values could overflow the stack. */
export const NESTING_MAX = 200;

/** Whether a value nests at most `levels` deep; false for cyclic values. */
export function nestsWithin(value: unknown, levels = NESTING_MAX): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (levels === 0) return false;
  const items: unknown[] = Array.isArray(value) ? value : Object.values(value);
  return items.every((item) => nestsWithin(item, levels - 1));
}
