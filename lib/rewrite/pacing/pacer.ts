import { MOST_PER_SECOND } from "#lib/contract/rewrite/run.ts";
import type { Pace } from "#lib/domain/rewrite/pace.ts";
import { limitOf } from "./limit-of.ts";
import { createRateLimit } from "./rate-limit.ts";

/** A slot for one request. Call it with the request's outcome to free the slot. */
export type Slot = (went: "answered" | "overloaded" | "failed") => void;

/** Limits how many objects are processed at once, by the pace, and per second. Both can change while a run is active. */
export interface Pacer {
  /**
   * Resolves when one more object may start, or one that has started may go on: `goesOn` comes first, and the rate doesn't count it again.
   * Throws the signal's reason.
   */
  enter(signal: AbortSignal, how?: { goesOn: boolean }): Promise<Slot>;
  maxPerSecond(): number | null;
  setMaxPerSecond(rate: number | null): void;
  pace(): Pace;
  setPace(pace: Pace): void;
  /** Starts nothing new; requests in progress finish. */
  pause(): void;
  resume(): void;
  /** `pressed` while requests are still in progress. */
  paused(): "no" | "pressed" | "in-force";
  /** The total time paused so far, in ms. */
  pausedMs(): number;
  underWay(): number;
}

interface Waiting {
  goesOn: boolean;
  admit(): void;
}

export function createPacer(maxPerSecond: number | null, pace: Pace = "normal", limits: typeof limitOf = limitOf): Pacer {
  const waiting: Waiting[] = [];
  let [paceNow, limit] = [pace, limits(pace)];
  let restsUntil = Number.NEGATIVE_INFINITY;
  // A recorded run may name any rate, and each start within it takes room.
  let rate = maxPerSecond === null ? null : Math.min(maxPerSecond, MOST_PER_SECOND);
  let rateLimit = rate === null ? null : createRateLimit(rate);
  /** When an object began last. */
  let lastAt: number | undefined;
  let pausedAt: number | null = null;
  let pausedBeforeMs = 0;
  let underWay = 0;
  let timer: NodeJS.Timeout | undefined;

  const pausedMs = () => pausedBeforeMs + (pausedAt === null ? 0 : performance.now() - pausedAt);
  const admitNext = () => {
    clearTimeout(timer);
    for (let [next] = waiting; next && pausedAt === null && underWay < limit.current(); [next] = waiting) {
      const now = performance.now();
      const waitMs = Math.max(restsUntil - now, next.goesOn ? 0 : (rateLimit?.waitMs(now) ?? 0));
      if (waitMs > 0) {
        timer = setTimeout(admitNext, waitMs);
        return;
      }
      if (!next.goesOn) {
        rateLimit?.started(now);
        lastAt = now;
      }
      waiting.shift();
      next.admit();
    }
  };
  const slot = (): Slot => {
    underWay += 1;
    const [sentAt, alongside] = [performance.now(), underWay];
    let open = true;
    return (went) => {
      if (!open) return;
      open = false;
      underWay -= 1;
      const now = performance.now();
      restsUntil = now + limit.restMs(now - sentAt);
      if (went === "answered") limit.answered(now - sentAt, alongside);
      if (went === "overloaded") limit.overloaded(now);
      admitNext();
    };
  };

  return {
    enter(signal, { goesOn } = { goesOn: false }) {
      // A slot is nearly always free, and one listener per object costs more than everything else here.
      const isFree = waiting.length === 0 && pausedAt === null && (rate === null || goesOn) && underWay < limit.current();
      if (isFree && restsUntil <= performance.now() && !signal.aborted) {
        if (!goesOn) lastAt = performance.now();
        return Promise.resolve(slot());
      }
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const one: Waiting = {
          goesOn,
          admit() {
            signal.removeEventListener("abort", leave);
            resolve(slot());
          },
        };
        const leave = () => {
          const index = waiting.indexOf(one);
          if (index >= 0) waiting.splice(index, 1);
          if (waiting.length === 0) clearTimeout(timer);
          reject(signal.reason);
        };
        signal.addEventListener("abort", leave, { once: true });
        waiting.splice(goesOn ? waiting.filter((other) => other.goesOn).length : waiting.length, 0, one);
        admitNext();
      });
    },
    maxPerSecond: () => rate,
    setMaxPerSecond(next) {
      rate = next;
      rateLimit = rate === null ? null : createRateLimit(rate, lastAt);
      admitNext();
    },
    pace: () => paceNow,
    setPace(next) {
      if (next === paceNow) return;
      [paceNow, limit] = [next, limits(next)];
      restsUntil = Number.NEGATIVE_INFINITY;
      admitNext();
    },
    pause() {
      pausedAt ??= performance.now();
    },
    resume() {
      pausedBeforeMs = pausedMs();
      pausedAt = null;
      admitNext();
    },
    paused: () => (pausedAt !== null ? (underWay > 0 ? "pressed" : "in-force") : "no"),
    pausedMs,
    underWay: () => underWay,
  };
}
