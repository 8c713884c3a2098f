import { jitteredBackoffMs, sleep } from "#lib/async/sleep.ts";
import { HeldBack } from "#lib/cluster/transport/whole-answer.ts";
import { StopRun } from "#lib/rewrite/run/stop-run.ts";
import { createHold, type Hold } from "./hold.ts";

/**
 * What may fail for an object while the rest of it works: its conversion, a write before it is stored, as a dry run tries it, or storing
 * it, which no dry run tries.
 */
export type Failing = "conversion" | "write" | "storing";

/**
 * Every request of a run passes this gate. It is open while the API server answers and closes on an outage or a 429. While closed, one
 * request at a time probes after a growing wait, never earlier than the server asked for, and the first answer opens the gate.
 * Requests take turns at probing, so that one object does not take all probes of a long outage.
 */
export interface Gate {
  /** Resolves when a request may be sent. Throws StopRun if nothing has succeeded for ten minutes, and the signal's reason. */
  enter(signal: AbortSignal): Promise<Permit>;
  /**
   * The work goes on, for example because an object was rejected: any outage is over. Still waits out the time that the server asked for.
   */
  progressed(): void;
  /** Progress by a write that was stored. It was sent at `sentAt` (default: now). */
  succeeded(sentAt?: number): void;
  /** What showed that storing fails is over, without a word on whether it works. */
  storingUntold(): void;
  /** Progress by a write that nothing is stored of: a dry run, or one that changes nothing. */
  tried(sentAt: number): void;
  /** Progress by reads, begun at `sentAt`, that show that objects are converted. */
  converted(sentAt: number): void;
  /** The server answers again, for example a list, which says nothing about the objects. Still waits out the time it asked for. */
  open(): void;
  /**
   * No request can succeed now, for this cause. `afterMs` is the wait that the server asked for, if any. If only storing fails, no progress
   * but a stored write ends the outage. Returns whether nothing else has failed since the last progress.
   */
  close(cause: string, afterMs: number | null, fails?: Failing): boolean;
  /** Held while this process may have lost the run. */
  record: Hold;
  /** Held while it isn't known that the definition is unchanged. */
  definition: Hold;
  /**
   * For use between the requests of one permit. Waits where only the next reading of the definition is due, however slow the API server.
   * Throws GateHeld while the gate is held for anything else, and the signal's reason.
   */
  whenReleased(signal: AbortSignal): Promise<void>;
  /** For the moment before a write goes out: what to throw in its place while the gate is held for anything; null while it isn't. */
  held(): GateHeld | null;
  /** Why nothing is sent, for people; null while the gate is open, and while the definition is read once more. */
  cause(): string | null;
  /** Like `cause`, without holds: only trouble with the API server or the network. */
  outage(): string | null;
  /** When the next request probes (ms since the epoch); null while the gate is open or held, and while a probe is under way. */
  retryAt(): number | null;
  /** How long it is until the time that the server asked for is over, in ms; 0 if it is. Nothing may be sent before. */
  askedToWaitMs(): number;
  /** When the latest request for which this worked was sent, by performance.now(): one sent earlier proves nothing about later ones. */
  lastWorkedAt(what: Failing): number;
}

/** Permission to send a request. While it is a probe, no other request probes until it is used or given back. */
export interface Permit {
  /** Call it right before sending. Null if the gate has closed, closed again or been held since; then enter again. */
  use(): "open" | "probe" | null;
  /** Nothing was sent; the next request gets its turn. */
  giveBack(): void;
}

const BACKOFF = { firstMs: 500, maxMs: 30_000 };
const GIVE_UP_AFTER_MS = 10 * 60_000;
const MIN_LOOK_MS = 1_000;
const RECORD_OVERDUE = "The rewrite's record wasn't renewed in time; another crdshift may have taken over the rewrite.";
const DEFINITION_OVERDUE = "crdshift hasn't read the definition in time; it may have changed.";

interface Closed {
  cause: string;
  until: number;
  /** The latest time until which the server asked to wait. */
  askedUntil: number;
  failures: number;
  /** The one request that may probe. */
  probe: { sent: boolean } | null;
}

/** `pausedMs` returns the total paused time in ms, which does not count toward the ten minutes without a success. */
export function createGate(pausedMs: () => number = () => 0): Gate {
  let closed: Closed | null = null;
  let failingSince: number | null = null;
  const createdAt = performance.now();
  const lastWorkedAt: Record<Failing, number> = { conversion: createdAt, write: createdAt, storing: createdAt };
  let isStoringFailing = false;
  let changed = Promise.withResolvers<void>();
  // Waiting requests, longest wait first.
  const queue: object[] = [];

  const announce = () => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  const workedMs = () => performance.now() - pausedMs();
  const record = createHold(RECORD_OVERDUE, { clock: workedMs, onChange: announce });
  const definition = createHold(DEFINITION_OVERDUE, { clock: workedMs, onChange: announce });
  const holding = () => record.cause() ?? definition.cause();
  const blocked = () => holding() ?? closed?.cause ?? null;
  const open = () => {
    if (!closed) return;
    if (performance.now() >= closed.askedUntil) closed = null;
    else {
      Object.assign(closed, { until: closed.askedUntil, failures: 0 });
      if (closed.probe?.sent) closed.probe = null;
    }
    announce();
  };
  const worked = (what: Failing, sentAt: number) => {
    lastWorkedAt[what] = Math.max(lastWorkedAt[what], sentAt);
  };
  const progressed = () => {
    if (isStoringFailing) return nextProbes();
    failingSince = null;
    open();
  };
  // The next in turn may be a write.
  const nextProbes = () => {
    if (closed?.probe?.sent) closed.probe = null;
    announce();
  };

  const permit = (probe: Closed["probe"]): Permit => {
    const giveBack = () => {
      if (!closed || !probe || closed.probe !== probe) return;
      closed.probe = null;
      announce();
    };
    return {
      use() {
        if (blocked() === null) return "open";
        // The gate may have closed again since, or stay closed for longer.
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
      if (blocked() === null) return permit(null);
      const turn = {};
      queue.push(turn);
      try {
        while (blocked() !== null) {
          // That the definition is read once more is no failure, nor is an outage that lists have ended.
          const isFailing = closed !== null || record.cause() !== null;
          if (isFailing) failingSince ??= workedMs();
          const failing = [isFailing ? failingSince : null, record.failingSince(), definition.failingSince()];
          const since = Math.min(...failing.map((at) => at ?? workedMs()));
          const leftMs = since + GIVE_UP_AFTER_MS - workedMs();
          if (leftMs <= 0) {
            throw new StopRun("interrupted", `Nothing has succeeded for ten minutes: ${blocked()}`);
          }
          const isNext = closed?.probe === null && holding() === null && queue[0] === turn;
          const waitMs = closed && isNext ? closed.until - performance.now() : Number.POSITIVE_INFINITY;
          if (closed && waitMs <= 0) {
            closed.probe = { sent: false };
            return permit(closed.probe);
          }
          // During a pause, what is left doesn't shrink.
          await settledWithin(changed.promise, Math.min(waitMs, Math.max(leftMs, MIN_LOOK_MS)), signal);
        }
        return permit(null);
      } finally {
        const wasFirst = queue[0] === turn;
        queue.splice(queue.indexOf(turn), 1);
        // It may have left without probing; then the next one gets its turn.
        if (wasFirst && closed?.probe === null) announce();
      }
    },
    progressed,
    succeeded(sentAt = performance.now()) {
      worked("storing", sentAt);
      worked("write", sentAt);
      isStoringFailing = false;
      progressed();
    },
    storingUntold() {
      isStoringFailing = false;
      progressed();
    },
    tried(sentAt) {
      worked("write", sentAt);
      progressed();
    },
    converted(sentAt) {
      worked("conversion", sentAt);
      progressed();
    },
    open,
    close(because, afterMs, fails = "write") {
      isStoringFailing ||= fails === "storing";
      const now = performance.now();
      const isFirst = failingSince === null;
      failingSince ??= workedMs();
      closed ??= { cause: because, until: now, askedUntil: now, failures: 0, probe: null };
      if (closed.probe?.sent) {
        closed.probe = null;
        closed.failures += 1;
      }
      // Requests sent before the gate closed may still extend the wait, but one outage counts as one failure.
      closed.cause = because;
      closed.askedUntil = Math.max(closed.askedUntil, now + (afterMs ?? 0));
      closed.until = Math.max(closed.until, closed.askedUntil, now + jitteredBackoffMs(closed.failures, BACKOFF));
      announce();
      return isFirst;
    },
    record,
    definition,
    async whenReleased(signal) {
      for (;;) {
        signal.throwIfAborted();
        const because = record.cause() ?? definition.failure();
        if (because !== null) throw new GateHeld(because);
        if (definition.cause() === null) return;
        await settledWithin(changed.promise, MIN_LOOK_MS, signal);
      }
    },
    held() {
      const because = holding();
      return because === null ? null : new GateHeld(because);
    },
    // An outage says more than that the definition can't be read either.
    cause: () => record.cause() ?? closed?.cause ?? definition.failure(),
    outage: () => closed?.cause ?? null,
    retryAt() {
      const waitMs = closed && !closed.probe?.sent && record.cause() === null ? closed.until - performance.now() : 0;
      return waitMs > 0 ? Date.now() + waitMs : null;
    },
    askedToWaitMs: () => Math.max(0, (closed?.askedUntil ?? 0) - performance.now()),
    lastWorkedAt: (what) => lastWorkedAt[what],
  };
}

/** Waits until the promise settles or the time is up. Throws the signal's reason. */
async function settledWithin(promise: Promise<void>, ms: number, signal: AbortSignal): Promise<void> {
  const waking = new AbortController();
  try {
    await Promise.race([promise, sleep(ms, AbortSignal.any([signal, waking.signal]))]);
  } finally {
    waking.abort();
  }
}

/** Thrown instead of sending while the gate is held, because this process may have lost the run. Not a failure: retry later. */
export class GateHeld extends HeldBack {}
