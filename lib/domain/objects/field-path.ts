import { type ExactJson, isExactObject } from "#lib/domain/exact-json/exact-json.ts";
import { FINGERPRINT_LENGTH, fingerprint } from "#lib/domain/wording/fingerprint.ts";
import { quoted } from "#lib/domain/wording/quoted.ts";

/** One step into an object: a key, any index of a list, or any key of a map. */
export type PathStep = { key: string } | "index" | "any-key";

/** The longest path, in characters: keys can be as long as the object, and nested a thousand deep. */
const LONGEST_PATH = 300;
/** In ASCII: with a single other character, all of a path would take twice its bytes. */
const CUT = "...";
const BEGINNING = LONGEST_PATH - FINGERPRINT_LENGTH - CUT.length;

/**
 * A path as people write it: `spec.containers[*].image`, `metadata.annotations["example.com/team"]`. Indexes are folded;
 * keys that are not plain words are quoted, and `.*` is any key. Different keys are written differently, and none turns the text's
 * direction. A path of more than 300 characters is cut, as by shownPath.
 */
export function formatFieldPath(steps: readonly PathStep[]): string {
  return steps.reduce(fieldPath, "");
}

/** The path one step further; that of the whole object is empty. */
export function fieldPath(outer: string, step: PathStep): string {
  return shownPath(outer + stepText(step, outer === ""));
}

/**
 * The path, or whatever a loss names in its place, as it is listed: of at most 300 characters, where the end of a longer one is `...` and its
 * fingerprint. So a person who accepts one path accepts no other with the same beginning.
 */
export function shownPath(path: string): string {
  if (path.length <= LONGEST_PATH) return path;
  // What goes on from a cut path has its beginning, so the rest tells it apart: thousands of fields may be below one.
  const isFurther = path.startsWith(CUT, BEGINNING);
  return `${path.slice(0, BEGINNING)}${CUT}${fingerprint(isFurther ? path.slice(BEGINNING) : path)}`;
}

function stepText(step: PathStep, isFirst: boolean): string {
  if (step === "index") return "[*]";
  if (step === "any-key") return isFirst ? "*" : ".*";
  // Its path will be cut, so the rest of a long key is neither tested nor quoted, which takes long: its fingerprint tells it apart.
  const isLong = step.key.length > LONGEST_PATH;
  const [shown, rest] = isLong ? [step.key.slice(0, LONGEST_PATH), `${CUT}${fingerprint(step.key)}`] : [step.key, ""];
  if (!/^[A-Za-z_$][\w$-]*$/.test(shown)) return `[${quoted(shown)}${rest}]`;
  return `${isFirst ? "" : "."}${shown}${rest}`;
}

/** What a key of fieldsV1 means: a field (`f:`), or an item of a list. */
export function stepOf(key: string): PathStep {
  return key.startsWith("f:") ? { key: key.slice(2) } : "index";
}

const MAX_PATHS = 200;
const MAX_LEVELS = 100;
/** Thousands of items of a list are one path. */
const MAX_FIELDS = 10_000;

/**
 * The fields of a managedFields entry's fieldsV1 as paths: `f:` is a field, `k:` a list item by its keys, `v:` a set's item, `i:` an index.
 * At most 200, down to 100 levels, of the first 10,000 fields. Source: structured-merge-diff, fieldpath/serialize-pe.go.
 */
export function fieldSetPaths(fields: ExactJson | undefined): string[] {
  const paths = new Set<string>();
  let visited = 0;
  collect(fields, "", 0);
  return [...paths];

  function collect(value: ExactJson | undefined, path: string, level: number): void {
    if (!isExactObject(value)) return;
    const inner = level < MAX_LEVELS ? Object.keys(value).filter((key) => key !== ".") : [];
    if (inner.length === 0 && level > 0) paths.add(path);
    for (const key of inner) {
      visited += 1;
      if (paths.size >= MAX_PATHS || visited > MAX_FIELDS) return;
      collect(value[key], fieldPath(path, stepOf(key)), level + 1);
    }
  }
}
