import type { Check } from "#bench/check.ts";
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
