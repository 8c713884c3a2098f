import { setTimeout } from "node:timers/promises";

/** Waits `ms`. Throws the signal's reason as soon as it aborts. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await setTimeout(ms, undefined, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

/** A random wait in ms that grows with the attempt (0, 1, …): "full jitter", between a tenth and all of the exponential. */
export function jitteredBackoffMs(attempt: number, { firstMs, maxMs }: { firstMs: number; maxMs: number }): number {
  return Math.min(maxMs, firstMs * 2 ** attempt) * (0.1 + 0.9 * Math.random());
}
