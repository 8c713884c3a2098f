/** Keeps starts at a rate: evenly spaced, and never more than it allows over any two seconds. */
export interface RateLimit {
  /** How long the next start has to wait, in ms; 0 if it is due. By performance.now(), like `started`. */
  waitMs(now: number): number;
  started(now: number): void;
}

/** How much of a timer's delay may be made up for, so that high rates are reached. No more is saved up. */
const CATCH_UP_MS = 50;
const WINDOW_MS = 2_000;

/** `lastAt` is the last start before, at whatever rate: a change of the rate is no reason to start one more. */
export function createRateLimit(perSecond: number, lastAt = performance.now() - 1_000 / perSecond): RateLimit {
  const apartMs = 1_000 / perSecond;
  // As many as may start within the window; the next one takes the place of the earliest.
  const startedAt = new Float64Array((perSecond * WINDOW_MS) / 1_000).fill(Number.NEGATIVE_INFINITY);
  let next = 0;
  let dueAt = lastAt + apartMs;
  return {
    waitMs: (now) => Math.max(0, dueAt - now, (startedAt[next] ?? 0) + WINDOW_MS - now),
    started(now) {
      startedAt[next] = now;
      next = (next + 1) % startedAt.length;
      dueAt = Math.max(dueAt, now - CATCH_UP_MS) + apartMs;
    },
  };
}
