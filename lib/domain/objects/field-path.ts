import { type ExactJson, isExactObject } from "#lib/domain/exact-json/exact-json.ts";
/** One step into an object: a key, any index of a list, or any key of a map. */
export type PathStep = { key: string } | "index" | "any-key";

/**
 * A path as people write it: `spec.containers[*].image`, `metadata.annotations["example.com/team"]`. Indexes are folded;
 * keys that are not plain words are quoted, and `.*` is any key.
 */
export function formatFieldPath(steps: readonly PathStep[]): string {
  return steps
    .map((step, index) => {
      if (step === "index") return "[*]";
      if (step === "any-key") return index === 0 ? "*" : ".*";
      if (!/^[A-Za-z_$][\w$-]*$/.test(step.key)) return `[${JSON.stringify(step.key)}]`;
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
