import { type ExactJson, exactProperty, exactText, isExactObject, parseExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { formatFieldPath, type PathStep } from "./field-path.ts";

/**
 * The fields of a managedFields entry's fieldsV1 that don't have the same value in an object as it is read at two versions, as paths. Empty
 * if the entry means the same at both. Source of the keys: structured-merge-diff, fieldpath/serialize-pe.go.
 */
export function unlikeFields(fields: ExactJson | undefined, one: ExactJson | undefined, other: ExactJson | undefined): string[] {
  const paths = new Set<string>();
  compare(fields, { one, other }, [], paths);
  return [...paths];
}

interface Values {
  one: ExactJson | undefined;
  other: ExactJson | undefined;
}

function compare(fields: ExactJson | undefined, { one, other }: Values, steps: readonly PathStep[], paths: Set<string>): void {
  if (!isExactObject(fields)) return;
  const inner = Object.entries(fields);
  const isWhole = inner.length === 0 && steps.length > 0;
  if (isWhole ? textOf(one) !== textOf(other) : kindOf(one) !== kindOf(other)) {
    paths.add(formatFieldPath(steps));
    return;
  }
  for (const [key, within] of inner) {
    // The field itself, beside inner ones.
    if (key === ".") continue;
    const step: PathStep = key.startsWith("f:") ? { key: key.slice(2) } : "index";
    compare(within, { one: memberOf(one, key), other: memberOf(other, key) }, [...steps, step], paths);
  }
}

/** The field, list item by its keys, item of a set, or item by its index that a key of a set of fields means. */
export function memberOf(value: ExactJson | undefined, key: string): ExactJson | undefined {
  const [kind, text] = [key.slice(0, 2), key.slice(2)];
  if (kind === "f:") return exactProperty(value, text);
  if (!Array.isArray(value)) return undefined;
  if (kind === "i:") return value[Number(text)];
  const wanted = parseExactJson(text);
  if (kind === "v:" || !isExactObject(wanted)) return value.find((item) => exactText(item) === exactText(wanted));
  return value.find((item) => Object.entries(wanted).every(([name, part]) => textOf(exactProperty(item, name)) === exactText(part)));
}

function textOf(value: ExactJson | undefined): string | null {
  return value === undefined ? null : exactText(value);
}

function kindOf(value: ExactJson | undefined): string {
  if (value === undefined) return "none";
  return Array.isArray(value) ? "list" : isExactObject(value) ? "object" : "value";
}
