/** A JSON value that keeps numbers as their source text, so int64 and `1.0` stay exact. */
export type ExactJson = null | boolean | string | ExactNumber | ExactJson[] | { [key: string]: ExactJson };

/** A number as written. A class, so no cluster object can be mistaken for one. */
export class ExactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Deeper than any real object. JSON.parse with a reviver, and all that walks a value recursively, would overflow the stack at a few thousand. */
export const EXACT_LEVELS = 1_000;

/** A class, so that whoever reads objects can tell it from every other failure. */
export class NestedTooDeep extends Error {
  constructor() {
    super(`It is nested deeper than ${EXACT_LEVELS.toLocaleString("en-US")} levels, so crdshift can't read it.`);
  }
}

/** Parses JSON without rounding numbers. Throws SyntaxError for invalid JSON, and NestedTooDeep beyond 1,000 levels. */
export function parseExactJson(text: string): ExactJson {
  if (nestsDeeper(text, EXACT_LEVELS)) throw new NestedTooDeep();
  // The reviver's third parameter has the source text of primitives: https://tc39.es/proposal-json-parse-with-source/
  const keepNumbers = (_key: string, value: unknown, context: { source?: string }) =>
    typeof value === "number" ? new ExactNumber(context.source ?? String(value)) : value;
  return JSON.parse(text, keepNumbers as (key: string, value: unknown) => unknown) as ExactJson;
}

// Over the text, because a parsed value would have to be walked recursively.
function nestsDeeper(json: string, levels: number): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at];
    if (character === '"') at = endOfString(json, at);
    else if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") depth -= 1;
    if (depth > levels) return true;
  }
  return false;
}

function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
  return at;
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
  if (value instanceof ExactNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map(exactText).join(",")}]`;
  if (!isExactObject(value)) return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}:${exactText(item)}`);
  return `{${entries.sort().join(",")}}`;
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
