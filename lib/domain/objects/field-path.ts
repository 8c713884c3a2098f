import { type ExactJson, isExactObject } from "#lib/domain/exact-json/exact-json.ts";
import { quoted } from "#lib/domain/wording/quoted.ts";

/** One step into an object: a key, any index of a list, or any key of a map. */
export type PathStep = { key: string } | "index" | "any-key";

/**
 * A path as people write it: `spec.containers[*].image`, `metadata.annotations["example.com/team"]`. Indexes are folded;
 * keys that are not plain words are quoted, and `.*` is any key. Different keys are written differently, and none turns the text's
 * direction.
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
const MAX_LEVELS = 100;
/** Of all paths: each repeats the keys above it. */
const MAX_LENGTH = 100_000;

/**
 * The fields of a managedFields entry's fieldsV1 as paths: `f:` is a field, `k:` a list item by its keys, `v:` a set's item, `i:` an index.
 * At most 200 of 100,000 characters, down to 100 levels. Source: structured-merge-diff, fieldpath/serialize-pe.go.
 */
export function fieldSetPaths(fields: ExactJson | undefined): string[] {
  const paths = new Set<string>();
  collect(fields, [], { paths, left: MAX_LENGTH });
  return [...paths];
}

function collect(fields: ExactJson | undefined, steps: PathStep[], found: { paths: Set<string>; left: number }): void {
  if (!isExactObject(fields) || found.paths.size >= MAX_PATHS || found.left <= 0) return;
  const inner = steps.length < MAX_LEVELS ? Object.keys(fields).filter((key) => key !== ".") : [];
  if (inner.length === 0 && steps.length > 0) {
    const path = formatFieldPath(steps);
    found.left -= path.length;
    if (found.left >= 0) found.paths.add(path);
  }
  for (const key of inner) {
    if (found.paths.size >= MAX_PATHS || found.left <= 0) return;
    const step: PathStep = key.startsWith("f:") ? { key: key.slice(2) } : "index";
    collect(fields[key], [...steps, step], found);
  }
}
