const HALVE_AT_MOST_EVERY_MS = 1_000;

/**
 * A function that takes each sign of an overload, at a time in ms, and returns whether to halve the limit for it: many requests hit the same
 * overload, which counts once.
 */
export function oncePerOverload(): (now: number) => boolean {
  let halvedAt = Number.NEGATIVE_INFINITY;
  return (now) => {
    if (now - halvedAt < HALVE_AT_MOST_EVERY_MS) return false;
    halvedAt = now;
    return true;
  };
}
