import { type ExactJson, isExactObject } from "#lib/domain/exact-json/exact-json.ts";
import { quoted } from "#lib/domain/wording/quoted.ts";

/** One step into an object: a key, any index of a list, or any key of a map. */
export type PathStep = { key: string } | "index" | "any-key";

/** The longest path, in characters: keys can be as long as the object, and nested a thousand deep. */
const LONGEST_PATH = 300;

/**
 * A path as people write it: `spec.containers[*].image`, `metadata.annotations["example.com/team"]`. Indexes are folded;
 * keys that are not plain words are quoted, and `.*` is any key. Different keys are written differently, and none turns the text's
 * direction. After 300 characters, the rest is `…`: paths with the same beginning count as one.
 */
export function formatFieldPath(steps: readonly PathStep[]): string {
  return steps.reduce(fieldPath, "");
}

/** The path one step further; that of the whole object is empty. */
export function fieldPath(outer: string, step: PathStep): string {
  if (outer.length > LONGEST_PATH) return outer;
  return shownPath(outer + stepText(step, outer === ""));
}

/** The path, or whatever a loss names in its place, as it is listed: cut after 300 characters. */
export function shownPath(path: string): string {
  return path.length > LONGEST_PATH ? `${path.slice(0, LONGEST_PATH)}…` : path;
}

function stepText(step: PathStep, isFirst: boolean): string {
  if (step === "index") return "[*]";
  if (step === "any-key") return isFirst ? "*" : ".*";
  if (!/^[A-Za-z_$][\w$-]*$/.test(step.key)) return `[${quoted(step.key)}]`;
  return isFirst ? step.key : `.${step.key}`;
}

/** What a key of fieldsV1 means: a field (`f:`), or an item of a list. */
export function stepOf(key: string): PathStep {
  return key.startsWith("f:") ? { key: key.slice(2) } : "index";
}

const MAX_PATHS = 200;
const MAX_LEVELS = 100;

/**
 * The fields of a managedFields entry's fieldsV1 as paths: `f:` is a field, `k:` a list item by its keys, `v:` a set's item, `i:` an index.
 * At most 200, down to 100 levels. Source: structured-merge-diff, fieldpath/serialize-pe.go.
 */
export function fieldSetPaths(fields: ExactJson | undefined): string[] {
  const paths = new Set<string>();
  collect(fields, [], paths);
  return [...paths];
}

function collect(fields: ExactJson | undefined, steps: PathStep[], paths: Set<string>): void {
  if (!isExactObject(fields) || paths.size >= MAX_PATHS) return;
  const inner = steps.length < MAX_LEVELS ? Object.keys(fields).filter((key) => key !== ".") : [];
  if (inner.length === 0 && steps.length > 0) paths.add(formatFieldPath(steps));
  for (const key of inner) {
    if (paths.size >= MAX_PATHS) return;
    collect(fields[key], [...steps, stepOf(key)], paths);
  }
}
