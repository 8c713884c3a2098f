import { monitorEventLoopDelay } from "node:perf_hooks";
import { processWide } from "./process-wide.ts";

const RESOLUTION_MS = 20;

/** How long the event loop was held up, in ms. */
export interface EventLoopDelay {
  p99: number;
  longest: number;
}

/** Starts to monitor the event loop, which costs fifty wake-ups a second. */
export function watchEventLoop(): void {
  histogram();
}

/** The delays since the last call, or since the watch began; zero before the first wake-up. */
export function takeEventLoopDelay(): EventLoopDelay {
  const delays = histogram();
  const taken = delays.count === 0 ? { p99: 0, longest: 0 } : { p99: lag(delays.percentile(99)), longest: lag(delays.max) };
  delays.reset();
  return taken;
}

// It measures from one wake-up to the next, so subtract the interval between two of them.
function lag(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1_000_000 - RESOLUTION_MS);
}

function histogram(): ReturnType<typeof monitorEventLoopDelay> {
  return processWide("event-loop-delay", () => {
    const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    delays.enable();
    return delays;
  });
}
