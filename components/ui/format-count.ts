/** A whole number with thousands separators. */
export function formatCount(count: number): string {
  return count.toLocaleString("en-US");
}

/** "1 object", "2 objects". */
export function formatCountOf(count: number, singular: string, plural = `${singular}s`): string {
  return `${formatCount(count)} ${count === 1 ? singular : plural}`;
}
