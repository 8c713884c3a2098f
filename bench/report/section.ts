import type { Part } from "#bench/options.ts";

/** What one part found. */
export interface Section {
  part: Part;
  /** Follows the part's name in its heading. */
  title: string;
  /** Markdown. */
  lines: string[];
  checks: Check[];
}

/** A table in Markdown whose columns line up. */
export function table(header: string[], rows: string[][]): string[] {
  const widths = header.map((_, column) => Math.max(...[header, ...rows].map((row) => (row[column] ?? "").length)));
  const line = (cells: string[]) => `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [line(header), `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`, ...rows.map(line)];
}

/** What a figure must be, and whether it is. */
export interface Check {
  name: string;
  value: number;
  relation: ">=" | "<=" | "<";
  bound: number;
}

/** NaN, which says that nothing was measured, never passes. */
export function passes({ value, relation, bound }: Check): boolean {
  switch (relation) {
    case ">=":
      return value >= bound;
    case "<=":
      return value <= bound;
    case "<":
      return value < bound;
  }
}

/** The check with its figure, as one line. */
export function checkLine(check: Check): string {
  return `${passes(check) ? "ok" : "FAILED"}: ${check.name}: ${number(check.value, 2)} (${check.relation} ${number(check.bound, 1)})`;
}

/** The value in the middle, between the two of an even number. NaN of nothing. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const [low = Number.NaN, high = Number.NaN] = [sorted[Math.floor(middle)], sorted[Math.ceil(middle)]];
  return (low + high) / 2;
}

/** "31.2 (30.8 … 32.0)": the median, the least and the most. */
export function spread(values: readonly number[], digits: number): string {
  const text = (value: number) => number(value, digits);
  return `${text(median(values))} (${text(Math.min(...values))} … ${text(Math.max(...values))})`;
}

/** A number for people, with so many decimals. */
export function number(value: number, digits: number): string {
  return value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
