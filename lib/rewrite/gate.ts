import { jitteredBackoffMs, sleep } from "#lib/async/sleep.ts";
import { StopRun } from "./stop-run.ts";

/**
 * What every request of a run passes: open while the API server answers. After an outage or a 429 it is closed; then one
 * request at a time probes after a growing wait, never before what the server asked for, and the first success opens it.
 */
export interface Gate {
  /** Resolves when a request may be sent. Throws StopRun when nothing has succeeded for too long. */
  enter(): Promise<void>;
  succeeded(): void;
  /** No request has a chance now, for this cause. */
  close(cause: string, afterMs: number | null): void;
  /** Why it is closed; null while open. */
  cause(): string | null;
  /** When a request last succeeded, by performance.now(). */
  lastSuccessAt(): number;
}

const BACKOFF = { firstMs: 500, maxMs: 30_000 };
const GIVE_UP_AFTER_MS = 10 * 60_000;

export function createGate(signal: AbortSignal): Gate {
  let closed: { cause: string; since: number; until: number; failures: number; probing: boolean } | null = null;
  let changed = Promise.withResolvers<void>();
  let lastSuccessAt = performance.now();
  const aborted = Promise.withResolvers<never>();
  aborted.promise.catch(() => {});
  signal.addEventListener("abort", () => aborted.reject(signal.reason), { once: true });

  const announce = () => {
    changed.resolve();
    changed = Promise.withResolvers();
  };

  return {
    async enter() {
      while (closed) {
        if (performance.now() - closed.since > GIVE_UP_AFTER_MS)
          throw new StopRun("interrupted", `Nothing has succeeded for ten minutes: ${closed.cause}`);
        if (closed.probing) {
          await Promise.race([changed.promise, aborted.promise]);
        } else {
          closed.probing = true;
          await sleep(Math.max(0, closed.until - performance.now()), signal);
          return;
        }
      }
      signal.throwIfAborted();
    },
    succeeded() {
      lastSuccessAt = performance.now();
      if (!closed) return;
      closed = null;
      announce();
    },
    close(cause, afterMs) {
      const now = performance.now();
      const failures = closed ? closed.failures + (closed.probing ? 1 : 0) : 0;
      const until = now + Math.max(afterMs ?? 0, jitteredBackoffMs(failures, BACKOFF));
      closed = { cause, since: closed?.since ?? now, until: Math.max(until, closed?.until ?? 0), failures, probing: false };
      announce();
    },
    cause: () => closed?.cause ?? null,
    lastSuccessAt: () => lastSuccessAt,
  };
}
