import { diffArrays } from "diff";
import { formatFieldPath, type PathStep } from "#lib/domain/objects/field-path.ts";

/** A line of each of two texts; null if that side has none. Lines that differ are paired in order. */
export interface LineRow {
  left: string | null;
  right: string | null;
  differs: boolean;
}

export interface LineDiff {
  rows: LineRow[];
  /** Lines that only the left text has. */
  onlyLeft: number;
  onlyRight: number;
}

/** As many lines as a browser lays out at once. */
const MAX_LINES = 4_000;
const MAX_LENGTH = 400_000;
const TIMEOUT_MS = 500;

/** The lines of two JSON texts side by side; null if they are too long, or too different to compare in half a second. */
export function lineDiff(left: string, right: string): LineDiff | null {
  if (Math.max(left.length, right.length) > MAX_LENGTH) return null;
  const [leftLines, rightLines] = [left.split("\n"), right.split("\n")];
  if (Math.max(leftLines.length, rightLines.length) > MAX_LINES) return null;
  const changes = diffArrays(leftLines.map(withoutComma), rightLines.map(withoutComma), { timeout: TIMEOUT_MS });
  if (!changes) return null;

  const rows: LineRow[] = [];
  const pending = { left: [] as string[], right: [] as string[] };
  const counts = { onlyLeft: 0, onlyRight: 0 };
  const flush = () => {
    for (let index = 0; index < Math.max(pending.left.length, pending.right.length); index += 1) {
      rows.push({ left: pending.left[index] ?? null, right: pending.right[index] ?? null, differs: true });
    }
    counts.onlyLeft += pending.left.length;
    counts.onlyRight += pending.right.length;
    Object.assign(pending, { left: [], right: [] });
  };
  const at = { left: 0, right: 0 };
  const takeLeft = () => leftLines[at.left++] ?? "";
  const takeRight = () => rightLines[at.right++] ?? "";
  for (const { value, added, removed } of changes) {
    if (!added && !removed) flush();
    for (const _ of value) {
      if (removed) pending.left.push(takeLeft());
      else if (added) pending.right.push(takeRight());
      else rows.push({ left: takeLeft(), right: takeRight(), differs: false });
    }
  }
  flush();
  return { rows, ...counts };
}

/** A trailing comma only says that another line follows, so it is no difference. */
function withoutComma(line: string): string {
  return line.endsWith(",") ? line.slice(0, -1) : line;
}

/**
 * The lines of an object's text, as its page shows it (one value a line, indented by two spaces), that hold the value at a path. `[*]` is
 * every item of a list.
 */
export function linesAtPath(text: string, path: string): ReadonlySet<number> {
  const found = new Set<number>();
  const steps: PathStep[] = [];
  // Of each step, whether the path begins with the steps down to it. Only then is a path written, which takes as long as its keys are.
  const leads: boolean[] = [];
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
      const written = depth === 1 || leads[depth - 2] ? formatFieldPath(steps) : null;
      leads[depth - 1] = written !== null && path.startsWith(written);
      if (written === path) foundDepth = depth;
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
