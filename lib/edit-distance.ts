/**
 * How many letters have to be put in, taken out or exchanged to make one text the other (Levenshtein), looked for up to `most`:
 * Infinity where it takes more.
 */
export function editDistance(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) return Number.POSITIVE_INFINITY;
  // From nothing to each beginning of the other.
  let row = Array.from({ length: other.length + 1 }, (_, length) => length);
  for (const [index, letter] of Array.from(one).entries()) {
    const next = [index + 1];
    for (const [column, exchanged] of row.slice(0, -1).entries()) {
      const takenOut = (row[column + 1] ?? 0) + 1;
      const putIn = (next[column] ?? 0) + 1;
      next.push(Math.min(takenOut, putIn, exchanged + (letter === other[column] ? 0 : 1)));
    }
    row = next;
  }
  const distance = row.at(-1) ?? 0;
  return distance > most ? Number.POSITIVE_INFINITY : distance;
}
