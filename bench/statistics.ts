/** The value in the middle, the upper one of two. NaN of nothing. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
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
