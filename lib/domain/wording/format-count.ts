/** A whole number with thousands separators; "unknown" for null. */
export function formatCount(count: number | null): string {
  return count === null ? "unknown" : count.toLocaleString("en-US");
}

/** "1 object", "1,000 objects". */
export function formatCountOf(count: number, singular: string, plural = `${singular}s`): string {
  return `${formatCount(count)} ${count === 1 ? singular : plural}`;
}
