import { monitorEventLoopDelay } from "node:perf_hooks";
import { processWide } from "./process-wide.ts";

const RESOLUTION_MS = 20;
/** As long as Prometheus's usual interval between two scrapes. */
const WINDOW_MS = 60_000;

/** How long the event loop was held up, in ms. */
export interface EventLoopDelay {
  p99: number;
  longest: number;
}

/** Starts to monitor the event loop, which costs fifty wake-ups a second. */
export function watchEventLoop(): void {
  watch();
}

/**
 * The delays of the last one to two minutes, whoever asks how often, or since the watch began; zero before the first wake-up. The
 * percentile is that of the worse minute.
 */
export function readEventLoopDelay(): EventLoopDelay {
  const { delays, before } = watch();
  const now = delayOf(delays);
  return { p99: Math.max(now.p99, before.p99), longest: Math.max(now.longest, before.longest) };
}

function delayOf(delays: ReturnType<typeof monitorEventLoopDelay>): EventLoopDelay {
  return delays.count === 0 ? { p99: 0, longest: 0 } : { p99: lag(delays.percentile(99)), longest: lag(delays.max) };
}

// It measures from one wake-up to the next, so subtract the interval between two of them.
function lag(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1_000_000 - RESOLUTION_MS);
}

function watch() {
  return processWide("event-loop-delay", () => {
    const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    delays.enable();
    const watched = { delays, before: { p99: 0, longest: 0 } };
    const turnOver = () => {
      watched.before = delayOf(delays);
      delays.reset();
    };
    setInterval(turnOver, WINDOW_MS).unref();
    return watched;
  });
}
