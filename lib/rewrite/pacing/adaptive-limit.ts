/** How many requests may be under way at once; learns from every answer. */
export interface AdaptiveLimit {
  current(): number;
  /** An answer came after `latencyMs`, with `underWay` requests open when it was sent. */
  answered(latencyMs: number, underWay: number): void;
  /** The API server asked to slow down, or did not answer in time. */
  overloaded(now: number): void;
}

const START = 4;
const MIN = 1;
/** As fast as one API server on two cores allows; more connections gained nothing when measured. */
const MAX = 24;
/** Latency may be this many times the long-term one before the limit shrinks … */
const TOLERANCE = 1.5;
/** … and this many requests may queue in the API server, which is what makes the limit grow. */
const QUEUE = 4;
const SMOOTHING = 0.2;
const LONG_TERM = 2 / (600 + 1);
const HALVE_AT_MOST_EVERY_MS = 1_000;

/**
 * Gradient2 of Netflix' concurrency-limits (github.com/Netflix/concurrency-limits, Gradient2Limit): the limit follows the ratio of
 * the long-term latency to the present one, plus a small queue; and it halves on overload, as AIMD does (TCP Reno, and the same
 * library's AIMDLimit). AIMD alone would wait for a 429; Vegas compares with the lowest latency ever seen, which an API server
 * that has just started to run a conversion webhook never reaches again.
 */
export function createAdaptiveLimit(): AdaptiveLimit {
  let limit = START;
  let longTermMs = 0;
  let halvedAt = Number.NEGATIVE_INFINITY;

  return {
    current: () => Math.max(MIN, Math.floor(limit)),
    answered(measuredMs, underWay) {
      // A clock may be coarse; without any time there is no ratio.
      const latencyMs = Math.max(measuredMs, 0.01);
      longTermMs = longTermMs === 0 ? latencyMs : longTermMs * (1 - LONG_TERM) + latencyMs * LONG_TERM;
      // After a slow time, back to what is normal without waiting for 600 answers.
      if (longTermMs / latencyMs > 2) longTermMs *= 0.95;
      // With few requests under way their latency says nothing of more.
      if (underWay < limit / 2) return;
      const gradient = Math.min(1, Math.max(0.5, (TOLERANCE * longTermMs) / latencyMs));
      limit = limit * (1 - SMOOTHING) + (limit * gradient + QUEUE) * SMOOTHING;
      limit = Math.min(MAX, Math.max(MIN, limit));
    },
    overloaded(now) {
      // Many requests meet the same overload: that is one reason to halve, not many.
      if (now - halvedAt < HALVE_AT_MOST_EVERY_MS) return;
      halvedAt = now;
      limit = Math.max(MIN, limit / 2);
    },
  };
}
