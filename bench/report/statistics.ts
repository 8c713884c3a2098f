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
