/** A JSON value that keeps numbers as their source text, so int64 and `1.0` stay exact. */
export type ExactJson = null | boolean | string | ExactNumber | ExactJson[] | { [key: string]: ExactJson };

/** A number as written. A class, so no cluster object can be mistaken for one. */
export class ExactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Parses JSON without rounding numbers. Throws SyntaxError for invalid JSON. */
export function parseExactJson(text: string): ExactJson {
  // The reviver's third parameter has the source text of primitives: https://tc39.es/proposal-json-parse-with-source/
  const keepNumbers = (_key: string, value: unknown, context: { source?: string }) =>
    typeof value === "number" ? new ExactNumber(context.source ?? String(value)) : value;
  return JSON.parse(text, keepNumbers as (key: string, value: unknown) => unknown) as ExactJson;
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
