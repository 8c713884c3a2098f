/** "1 object", "1,000 objects". */
export function counted(count: number, one: string): string {
  return `${formatCount(count)} ${count === 1 ? one : `${one}s`}`;
}

/** "1,000"; "unknown" where it is not known. */
export function formatCount(count: number | null): string {
  return count === null ? "unknown" : count.toLocaleString("en-US");
}
