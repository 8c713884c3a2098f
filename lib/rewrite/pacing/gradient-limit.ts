import { type AdaptiveLimit, MAX, MIN, START } from "./adaptive-limit.ts";
import { oncePerOverload } from "./once-per-overload.ts";

/** The limit shrinks when latency exceeds the long-term latency by this factor. */
const TOLERANCE = 1.5;
/** How many requests may queue in the API server; this is what makes the limit grow. */
const QUEUE = 4;
const SMOOTHING = 0.2;
const LONG_TERM = 2 / (600 + 1);

/**
 * As many at once as the API server takes. Gradient2 of Netflix' concurrency-limits (github.com/Netflix/concurrency-limits,
 * Gradient2Limit): the limit follows the ratio of the long-term latency to the current one, plus a small queue. On overload it halves, as
 * AIMD does (TCP Reno, and the same library's AIMDLimit). AIMD alone would wait for a 429; Vegas compares with the lowest latency ever
 * seen, which an API server never reaches again once it starts to call a conversion webhook.
 */
export function createGradientLimit(): AdaptiveLimit {
  let limit = START;
  let longTermMs = 0;
  const isDue = oncePerOverload();

  return {
    current: () => Math.max(MIN, Math.floor(limit)),
    answered(measuredMs, underWay) {
      // A coarse clock can measure 0 ms, which has no ratio.
      const latencyMs = Math.max(measuredMs, 0.01);
      longTermMs = longTermMs === 0 ? latencyMs : longTermMs * (1 - LONG_TERM) + latencyMs * LONG_TERM;
      // After a slow phase, return to normal without waiting for 600 answers.
      if (longTermMs / latencyMs > 2) longTermMs *= 0.95;
      // The latency of few concurrent requests says nothing about more.
      if (underWay < limit / 2) return;
      const gradient = Math.min(1, Math.max(0.5, (TOLERANCE * longTermMs) / latencyMs));
      limit = limit * (1 - SMOOTHING) + (limit * gradient + QUEUE) * SMOOTHING;
      limit = Math.min(MAX, Math.max(MIN, limit));
    },
    overloaded(now) {
      if (isDue(now)) limit = Math.max(MIN, limit / 2);
    },
    restMs: () => 0,
  };
}
