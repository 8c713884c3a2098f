/** A JSON value whose numbers are still the text that was sent: no int64 and no `1.0` is rounded away. */
export type ExactJson = null | boolean | string | ExactNumber | ExactJson[] | { [key: string]: ExactJson };

/** A number as it was written. A class, so that no object of a cluster can look like one. */
export class ExactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Reads JSON exactly. Throws SyntaxError for what is no JSON. */
export function parseExactJson(text: string): ExactJson {
  // The reviver's third parameter has the source text of primitives: https://tc39.es/proposal-json-parse-with-source/
  const keepNumbers = (_key: string, value: unknown, context: { source?: string }) =>
    typeof value === "number" ? new ExactNumber(context.source ?? String(value)) : value;
  return JSON.parse(text, keepNumbers as (key: string, value: unknown) => unknown) as ExactJson;
}

/** A value of JavaScript as exact JSON: a bigint stays the whole number that it is, and what JSON has not becomes null. */
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

/** The value as text that is equal for equal values: numbers as they were written, keys in order. */
export function exactText(value: ExactJson): string {
  if (value instanceof ExactNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map(exactText).join(",")}]`;
  if (!isExactObject(value)) return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}:${exactText(item)}`);
  return `{${entries.sort().join(",")}}`;
}
