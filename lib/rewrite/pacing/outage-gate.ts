import { jitteredBackoffMs, sleep } from "#lib/async/sleep.ts";
import { untilAborted } from "#lib/async/until-aborted.ts";
import { StopRun } from "#lib/rewrite/run/stop-run.ts";

/**
 * What every request of a run passes: open while the API server answers. After an outage or a 429 it is closed; then one
 * request at a time probes after a growing wait, never before what the server asked for, and the first answer opens it. They
 * take turns at that, so that a long outage is not tried out on one object.
 */
export interface Gate {
  /** Resolves when a request may be sent. Throws StopRun when nothing has succeeded for too long, and the signal's reason. */
  enter(signal: AbortSignal): Promise<Admission>;
  /**
   * An object was dealt with, by a request of that time (now if not given): the outage, if there was one, is over, but a time that the
   * server asked for is waited for even so. Where the object was current already, that says nothing of conversion.
   */
  succeeded(sentAt?: number, converted?: boolean): void;
  /** The server answers again, but that says nothing of the objects: a list, say. A time that it asked for is waited for even so. */
  open(): void;
  /** No request has a chance now, for this cause; `afterMs` is the time that the server asked for, if it did. */
  close(cause: string, afterMs: number | null): void;
  /** Nobody may send, not even a probe, until `release`: this process may have lost the run. */
  hold(cause: string): void;
  /** From `until` on (ms since the epoch) it holds by itself: a process that was stopped for a while wakes up in the middle of its work. */
  release(until?: number): void;
  /** For between the requests of one admission: throws GateHeld while nobody may send. */
  throwIfHeld(): void;
  /** Why nothing is sent; null while open. */
  cause(): string | null;
  /** The same but for a hold: what the API server, or the way to it, has to do with it. */
  outage(): string | null;
  /**
   * When the newest request by which an object was dealt with was sent, by performance.now(): what was under way before proves
   * nothing later. The same for those that may have been converted.
   */
  lastSuccessAt(): number;
  lastConversionAt(): number;
}

/** Leave to send a request; nobody else probes until it is used or given back. */
export interface Admission {
  /** Called right before sending. Null when the gate has closed, closed anew or is held since: enter again. */
  use(): "open" | "probe" | null;
  /** Nothing is sent after all: it is the next one's turn. */
  giveBack(): void;
}

const BACKOFF = { firstMs: 500, maxMs: 30_000 };
const GIVE_UP_AFTER_MS = 10 * 60_000;
const OVERDUE = "The run's record was not renewed in time; another crdshift may have taken the run over.";

interface Closed {
  cause: string;
  until: number;
  /** The latest time that the server asked for. */
  askedUntil: number;
  failures: number;
  /** The one request that may try. */
  probe: { sent: boolean } | null;
}

/** `pausedMs` gives how long a person has paused until now, in ms; that does not count towards the ten minutes without a success. */
export function createGate(pausedMs: () => number = () => 0): Gate {
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
  const workedMs = () => performance.now() - pausedMs();
  const holding = () => held ?? (Date.now() > releasedUntil ? OVERDUE : null);
  const cause = () => holding() ?? closed?.cause ?? null;
  const open = () => {
    if (!closed) return;
    if (performance.now() >= closed.askedUntil) closed = null;
    else {
      Object.assign(closed, { until: closed.askedUntil, failures: 0 });
      if (closed.probe?.sent) closed.probe = null;
    }
    announce();
  };

  const admission = (probe: Closed["probe"]): Admission => {
    const giveBack = () => {
      if (!closed || !probe || closed.probe !== probe) return;
      closed.probe = null;
      announce();
    };
    return {
      use() {
        if (cause() === null) return "open";
        // The closing may be another one by now, or last longer.
        const mayProbe = closed && probe && closed.probe === probe && performance.now() >= closed.until && holding() === null;
        if (!mayProbe) {
          giveBack();
          return null;
        }
        probe.sent = true;
        return "probe";
      },
      giveBack,
    };
  };

  return {
    async enter(signal) {
      signal.throwIfAborted();
      if (cause() === null) return admission(null);
      const turn = {};
      queue.push(turn);
      try {
        while (cause() !== null) {
          failingSince ??= workedMs();
          if (workedMs() - failingSince > GIVE_UP_AFTER_MS) {
            throw new StopRun("interrupted", `Nothing has succeeded for ten minutes: ${cause()}`);
          }
          const isNext = closed?.probe === null && holding() === null && queue[0] === turn;
          const waitMs = closed && isNext ? closed.until - performance.now() : Number.POSITIVE_INFINITY;
          if (closed && waitMs <= 0) {
            closed.probe = { sent: false };
            return admission(closed.probe);
          }
          await settledWithin(changed.promise, waitMs, signal);
        }
        return admission(null);
      } finally {
        const wasFirst = queue[0] === turn;
        queue.splice(queue.indexOf(turn), 1);
        // It may have left without probing; then it is the next one's turn.
        if (wasFirst && closed?.probe === null) announce();
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
      failingSince ??= workedMs();
      closed ??= { cause: because, until: now, askedUntil: now, failures: 0, probe: null };
      if (closed.probe?.sent) {
        closed.probe = null;
        closed.failures += 1;
      }
      // Requests that were under way when it closed may still ask for more time, but one outage is one failure.
      closed.cause = because;
      closed.askedUntil = Math.max(closed.askedUntil, now + (afterMs ?? 0));
      closed.until = Math.max(closed.until, closed.askedUntil, now + jitteredBackoffMs(closed.failures, BACKOFF));
      announce();
    },
    hold(because) {
      failingSince ??= workedMs();
      held = because;
      announce();
    },
    release(until = Number.POSITIVE_INFINITY) {
      held = null;
      releasedUntil = until;
      announce();
    },
    throwIfHeld() {
      const because = holding();
      if (because !== null) throw new GateHeld(because);
    },
    cause,
    outage: () => closed?.cause ?? null,
    lastSuccessAt: () => lastSuccessAt,
    lastConversionAt: () => lastConversionAt,
  };
}

/** Until it is settled or the time is over. Throws the signal's reason. */
async function settledWithin(promise: Promise<void>, ms: number, signal: AbortSignal): Promise<void> {
  if (ms === Number.POSITIVE_INFINITY) return untilAborted(promise, signal);
  const waking = new AbortController();
  try {
    await Promise.race([promise, sleep(ms, AbortSignal.any([signal, waking.signal]))]);
  } finally {
    waking.abort();
  }
}

/** Thrown in place of sending while nobody may send: this process may have lost the run. Not a failure; it is tried again later. */
export class GateHeld extends Error {}
