import { oneLine } from "#lib/cluster/transport/printable.ts";

const GAP = "   ";

/** Aligns rows in columns as kubectl does, one line per row; the last column is not padded. */
export function table(written: readonly (readonly string[])[]): string {
  const rows = written.map((row) => row.map(oneLine));
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join(GAP)
        .trimEnd(),
    )
    .join("\n");
}
