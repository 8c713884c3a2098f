import { type AdaptiveLimit, MAX, MIN, START } from "./adaptive-limit.ts";
import { oncePerOverload } from "./once-per-overload.ts";

/** Answers that a throughput is measured over; fewer where each takes long. */
const WINDOW = 100;
/** While the limit is looked for. */
const FIRST_WINDOW = 30;
/** Where only less can be tried. */
const WINDOW_AT_MAX = 500;
const LONG_WINDOW_MS = 2_000;
/** The least that a higher limit must bring, relative to what it would bring if nothing queued. */
const WORTH = 0.1;

interface Measured {
  limit: number;
  /** Answers a millisecond: by Little's law, as many as are under way, by how long each takes. */
  throughput: number;
}

/**
 * The fewest at once that give nearly the most throughput: what goes beyond only queues in the API server, in front of others' requests. It
 * tries a higher limit and a lower one in turn, and keeps the higher one of two where that is worth it. On overload it halves.
 */
export function createWorthwhileLimit(): AdaptiveLimit {
  let limit = START;
  /** Of the window before, at another limit. */
  let before: Measured | null = null;
  let direction: "up" | "down" = "up";
  let isFirst = true;
  let [answers, totalMs, unsettled] = [0, 0, START];
  const isDue = oncePerOverload();

  const moveTo = (next: number) => {
    limit = Math.min(MAX, Math.max(MIN, next));
    // Those that are under way were sent beside more, or beside fewer.
    [answers, totalMs, unsettled] = [0, 0, limit];
  };
  const tryAnother = (measured: Measured) => {
    before = measured;
    if (measured.limit === MAX) direction = "down";
    if (measured.limit === MIN) direction = "up";
    const step = isFirst ? measured.limit : Math.max(1, Math.floor(measured.limit / 4));
    moveTo(measured.limit + (direction === "up" ? step : -step));
  };
  const conclude = (measured: Measured) => {
    if (!before) return tryAnother(measured);
    const [lower, higher] = before.limit < limit ? [before, measured] : [measured, before];
    const gain = higher.throughput / lower.throughput - 1;
    const isWorthIt = gain >= WORTH * (higher.limit / lower.limit - 1);
    direction = isWorthIt ? "up" : "down";
    isFirst &&= isWorthIt && limit < MAX;
    if ((isWorthIt ? higher : lower) === measured) return tryAnother(measured);
    moveTo(before.limit);
    before = null;
  };

  return {
    current: () => limit,
    answered(measuredMs, underWay) {
      if (underWay !== limit) return;
      if (unsettled > 0) {
        unsettled -= 1;
        return;
      }
      answers += 1;
      // A coarse clock can measure 0 ms.
      totalMs += Math.max(measuredMs, 0.01);
      const isLong = answers >= 4 * limit && totalMs / limit > LONG_WINDOW_MS;
      const window = isFirst ? FIRST_WINDOW : limit === MAX ? WINDOW_AT_MAX : WINDOW;
      if (answers >= window || isLong) conclude({ limit, throughput: (limit * answers) / totalMs });
    },
    overloaded(now) {
      if (!isDue(now)) return;
      isFirst = false;
      before = null;
      moveTo(Math.floor(limit / 2));
    },
    restMs: () => 0,
  };
}
