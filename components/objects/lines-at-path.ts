import { formatFieldPath, type PathStep } from "#lib/domain/objects/field-path.ts";
import type { LineRow } from "./line-diff.ts";

/**
 * The lines of an object's text, as its page shows it (one value a line, indented by two spaces), that hold the value at a path. `[*]` is
 * every item of a list.
 */
export function linesAtPath(text: string, path: string): ReadonlySet<number> {
  const found = new Set<number>();
  const steps: PathStep[] = [];
  let foundDepth: number | null = null;
  for (const [number, line] of text.split("\n").entries()) {
    const value = line.trimStart();
    const depth = (line.length - value.length) / 2;
    const isEnd = /^[\]}]/.test(value);
    if (foundDepth !== null && (depth < foundDepth || (depth === foundDepth && !isEnd))) foundDepth = null;
    if (foundDepth === null && depth > 0 && !isEnd) {
      steps.length = depth - 1;
      const [, key] = /^("(?:[^"\\]|\\.)*"): /.exec(value) ?? [];
      steps.push(key === undefined ? "index" : { key: JSON.parse(key) as string });
      if (formatFieldPath(steps) === path) foundDepth = depth;
    }
    if (foundDepth !== null) found.add(number);
  }
  return found;
}

/** The rows of a side-by-side diff that hold the value at a path on either side. */
export function rowsAtPath(rows: readonly LineRow[], leftText: string, rightText: string, path: string): ReadonlySet<number> {
  const [left, right] = [linesAtPath(leftText, path), linesAtPath(rightText, path)];
  const found = new Set<number>();
  let [leftLine, rightLine] = [0, 0];
  for (const [index, row] of rows.entries()) {
    if (row.left !== null) {
      if (left.has(leftLine)) found.add(index);
      leftLine += 1;
    }
    if (row.right !== null) {
      if (right.has(rightLine)) found.add(index);
      rightLine += 1;
    }
  }
  return found;
}
