import { jitteredBackoffMs, sleep } from "#lib/async/sleep.ts";
import { untilAborted } from "#lib/async/until-aborted.ts";
import { StopRun } from "./stop-run.ts";

/**
 * What every request of a run passes: open while the API server answers. After an outage or a 429 it is closed; then one
 * request at a time probes after a growing wait, never before what the server asked for, and the first answer opens it. They
 * take turns at that, so that a long outage is not tried out on one object.
 */
export interface Gate {
  /** Resolves when a request may be sent. Throws StopRun when nothing has succeeded for too long, and the signal's reason. */
  enter(signal: AbortSignal): Promise<void>;
  /**
   * An object was dealt with, by a request of that time (now if not given): the outage, if there was one, is over. Where the object was
   * current already, that says nothing of conversion.
   */
  succeeded(sentAt?: number, converted?: boolean): void;
  /** The server answers again, but that says nothing of the objects: a list, say. */
  open(): void;
  /** No request has a chance now, for this cause. */
  close(cause: string, afterMs: number | null): void;
  /** Nobody may send, not even a probe, until `release`: this process may have lost the run. */
  hold(cause: string): void;
  /** From `until` on (ms since the epoch) it holds by itself: a process that was stopped for a while wakes up in the middle of its work. */
  release(until?: number): void;
  /** Why nothing is sent; null while open. */
  cause(): string | null;
  /**
   * When the newest request by which an object was dealt with was sent, by performance.now(): what was under way before proves
   * nothing later. The same for those that may have been converted.
   */
  lastSuccessAt(): number;
  lastConversionAt(): number;
}

const BACKOFF = { firstMs: 500, maxMs: 30_000 };
const GIVE_UP_AFTER_MS = 10 * 60_000;
const OVERDUE = "The run's record was not renewed in time; another crdshift may have taken the run over.";

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
  let releasedUntil = Number.POSITIVE_INFINITY;
  let failingSince: number | null = null;
  let lastSuccessAt = performance.now();
  let lastConversionAt = lastSuccessAt;
  let changed = Promise.withResolvers<void>();
  // Those that wait, longest first.
  const queue: object[] = [];

  const announce = () => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  const holding = () => held ?? (Date.now() > releasedUntil ? OVERDUE : null);
  const cause = () => holding() ?? closed?.cause ?? null;
  const open = () => {
    if (!closed) return;
    closed = null;
    announce();
  };

  return {
    async enter(signal) {
      signal.throwIfAborted();
      if (!closed && holding() === null) return;
      const turn = {};
      queue.push(turn);
      try {
        while (closed || holding() !== null) {
          failingSince ??= performance.now();
          if (performance.now() - failingSince > GIVE_UP_AFTER_MS) {
            throw new StopRun("interrupted", `Nothing has succeeded for ten minutes: ${cause()}`);
          }
          if (closed?.probe === "none" && holding() === null && queue[0] === turn) {
            const probing = closed;
            await probe(probing, signal);
            if (holding() === null) return;
            probing.probe = "none";
            continue;
          }
          await untilAborted(changed.promise, signal);
        }
      } finally {
        const wasFirst = queue[0] === turn;
        queue.splice(queue.indexOf(turn), 1);
        // It may have left without probing; then it is the next one's turn.
        if (wasFirst && closed?.probe === "none") announce();
      }
    },
    succeeded(sentAt = performance.now(), converted = true) {
      lastSuccessAt = Math.max(lastSuccessAt, sentAt);
      if (converted) lastConversionAt = Math.max(lastConversionAt, sentAt);
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
    release(until = Number.POSITIVE_INFINITY) {
      held = null;
      releasedUntil = until;
      announce();
    },
    cause,
    lastSuccessAt: () => lastSuccessAt,
    lastConversionAt: () => lastConversionAt,
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
