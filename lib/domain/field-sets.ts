import { type ExactJson, isExactObject } from "./exact-json.ts";
import { formatFieldPath, type PathStep } from "./field-path.ts";

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
