/**
 * Whether less than `forMs` has passed since `at`, in ms since the epoch. Not if `at` is in the future: the clock was set back since, and
 * nobody knows by how much.
 */
export function isFresh(at: number, forMs: number): boolean {
  const ageMs = Date.now() - at;
  return ageMs >= 0 && ageMs < forMs;
}
