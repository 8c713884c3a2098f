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
  let closed: Closed | null = null;
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
      signal.throwIfAborted();
      while (closed) {
        if (performance.now() - closed.since > GIVE_UP_AFTER_MS) {
          throw new StopRun("interrupted", `Nothing has succeeded for ten minutes: ${closed.cause}`);
        }
        if (closed.probe === "none") return await probe(closed, signal);
        await Promise.race([changed.promise, aborted.promise]);
      }
    },
    succeeded() {
      lastSuccessAt = performance.now();
      if (!closed) return;
      closed = null;
      announce();
    },
    close(cause, afterMs) {
      const now = performance.now();
      closed ??= { cause, since: now, until: now, failures: 0, probe: "none" };
      if (closed.probe === "sent") {
        closed.probe = "none";
        closed.failures += 1;
      }
      // Requests that were under way when it closed may still ask for more time, but one outage is one failure.
      closed.cause = cause;
      closed.until = Math.max(closed.until, now + Math.max(afterMs ?? 0, jitteredBackoffMs(closed.failures, BACKOFF)));
      announce();
    },
    cause: () => closed?.cause ?? null,
    lastSuccessAt: () => lastSuccessAt,
  };
}

interface Closed {
  cause: string;
  since: number;
  until: number;
  failures: number;
  /** The one request that may try: nobody yet, somebody who waits for `until`, or one that is under way. */
  probe: "none" | "waiting" | "sent";
}

async function probe(closed: Closed, signal: AbortSignal): Promise<void> {
  closed.probe = "waiting";
  for (let now = performance.now(); now < closed.until; now = performance.now()) await sleep(closed.until - now, signal);
  closed.probe = "sent";
}
