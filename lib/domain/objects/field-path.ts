import { type ExactJson, exactProperty, exactText, isExactObject, parseExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { quoted } from "#lib/domain/wording/quoted.ts";

/** One step into an object: a key, any index of a list, or any key of a map. */
export type PathStep = { key: string } | "index" | "any-key";

/**
 * A path as people write it: `spec.containers[*].image`, `metadata.annotations["example.com/team"]`. Indexes are folded;
 * keys that are not plain words are quoted, and `.*` is any key. Different keys are written differently, and none turns the text's direction.
 */
export function formatFieldPath(steps: readonly PathStep[]): string {
  return steps
    .map((step, index) => {
      if (step === "index") return "[*]";
      if (step === "any-key") return index === 0 ? "*" : ".*";
      if (!/^[A-Za-z_$][\w$-]*$/.test(step.key)) return `[${quoted(step.key)}]`;
      return index === 0 ? step.key : `.${step.key}`;
    })
    .join("");
}

const MAX_PATHS = 200;

/**
 * The fields of a managedFields entry's fieldsV1 as paths: `f:` is a field, `k:` a list item by its keys, `v:` a set's item, `i:` an index.
 * At most 200. Source: structured-merge-diff, fieldpath/serialize-pe.go.
 */
export function fieldSetPaths(fields: ExactJson | undefined): string[] {
  const paths = new Set<string>();
  collect(fields, [], paths);
  return [...paths];
}

function collect(fields: ExactJson | undefined, steps: PathStep[], paths: Set<string>): void {
  if (!isExactObject(fields) || paths.size >= MAX_PATHS) return;
  const inner = Object.entries(fields).filter(([key]) => key !== ".");
  if (inner.length === 0 && steps.length > 0) paths.add(formatFieldPath(steps));
  for (const [key, value] of inner) {
    const step: PathStep = key.startsWith("f:") ? { key: key.slice(2) } : "index";
    collect(value, [...steps, step], paths);
  }
}

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
function memberOf(value: ExactJson | undefined, key: string): ExactJson | undefined {
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
