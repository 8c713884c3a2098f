/** A response of about this size; base64 makes it a third larger than the values in it. */
const TARGET_BYTES = 4 * 1024 * 1024;
const MOST_KEYS = 500;
/** The values on the first page may be the largest that there are. */
export const FIRST_LIMIT = 4;
const MOST_GROWTH = 4;
const SHRINK = 8;

/** How many keys the next response may have, after one of so many keys and bytes: from 1 to 500. It grows no faster than fourfold. */
export function nextLimit(limit: number, { keys, bytes }: { keys: number; bytes: number }): number {
  if (keys === 0) return limit;
  const fitting = Math.floor((TARGET_BYTES * keys) / bytes);
  return Math.max(1, Math.min(fitting, limit * MOST_GROWTH, MOST_KEYS));
}

/** How many keys to ask for instead, when a response was given up as too large. */
export function smallerLimit(limit: number): number {
  return Math.max(1, Math.floor(limit / SHRINK));
}
