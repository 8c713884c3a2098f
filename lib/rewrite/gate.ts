import { jitteredBackoffMs, sleep } from "#lib/async/sleep.ts";
import { untilAborted } from "#lib/async/until-aborted.ts";
import { StopRun } from "./stop-run.ts";

/**
 * What every request of a run passes: open while the API server answers. After an outage or a 429 it is closed; then one
 * request at a time probes after a growing wait, never before what the server asked for, and the first answer opens it.
 */
export interface Gate {
  /** Resolves when a request may be sent. Throws StopRun when nothing has succeeded for too long, and the signal's reason. */
  enter(signal: AbortSignal): Promise<void>;
  /** An object was dealt with: the outage, if there was one, is over. */
  succeeded(): void;
  /** The server answers again, but that says nothing of the objects: a list, say. */
  open(): void;
  /** No request has a chance now, for this cause. */
  close(cause: string, afterMs: number | null): void;
  /** Nobody may send, not even a probe, until `release`: this process may have lost the run. */
  hold(cause: string): void;
  release(): void;
  /** Why nothing is sent; null while open. */
  cause(): string | null;
  /** When an object was last dealt with, by performance.now(). */
  lastSuccessAt(): number;
}

const BACKOFF = { firstMs: 500, maxMs: 30_000 };
const GIVE_UP_AFTER_MS = 10 * 60_000;

interface Closed {
  cause: string;
  until: number;
  failures: number;
  /** The one request that may try: nobody yet, somebody who waits for `until`, or one that is under way. */
  probe: "none" | "waiting" | "sent";
}

export function createGate(): Gate {
  let closed: Closed | null = null;
  let held: string | null = null;
  let failingSince: number | null = null;
  let lastSuccessAt = performance.now();
  let changed = Promise.withResolvers<void>();

  const announce = () => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  const cause = () => held ?? closed?.cause ?? null;
  const open = () => {
    if (!closed) return;
    closed = null;
    announce();
  };

  return {
    async enter(signal) {
      signal.throwIfAborted();
      while (closed || held !== null) {
        if (failingSince !== null && performance.now() - failingSince > GIVE_UP_AFTER_MS) {
          throw new StopRun("interrupted", `Nothing has succeeded for ten minutes: ${cause()}`);
        }
        if (closed?.probe === "none" && held === null) return await probe(closed, signal);
        await untilAborted(changed.promise, signal);
      }
    },
    succeeded() {
      lastSuccessAt = performance.now();
      failingSince = null;
      open();
    },
    open,
    close(because, afterMs) {
      const now = performance.now();
      failingSince ??= now;
      closed ??= { cause: because, until: now, failures: 0, probe: "none" };
      if (closed.probe === "sent") {
        closed.probe = "none";
        closed.failures += 1;
      }
      // Requests that were under way when it closed may still ask for more time, but one outage is one failure.
      closed.cause = because;
      closed.until = Math.max(closed.until, now + Math.max(afterMs ?? 0, jitteredBackoffMs(closed.failures, BACKOFF)));
      announce();
    },
    hold(because) {
      failingSince ??= performance.now();
      held = because;
      announce();
    },
    release() {
      held = null;
      announce();
    },
    cause,
    lastSuccessAt: () => lastSuccessAt,
  };
}

async function probe(closed: Closed, signal: AbortSignal): Promise<void> {
  closed.probe = "waiting";
  try {
    for (let now = performance.now(); now < closed.until; now = performance.now()) await sleep(closed.until - now, signal);
  } catch (error) {
    closed.probe = "none";
    throw error;
  }
  closed.probe = "sent";
}
