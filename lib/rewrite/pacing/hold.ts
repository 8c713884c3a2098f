/** Blocks all requests, even probes, while something isn't known without which nothing may be sent. */
export interface Hold {
  /** Holds until it is released. The cause is shown to people. */
  hold(cause: string): void;
  /** Releases until `until` (ms since the epoch; default: for good). Then it is overdue: a suspended process wakes up amid its work. */
  release(until?: number): void;
  /** Why it holds now; null while it is released. */
  cause(): string | null;
  /** The cause, if it holds because something failed, and not just because the next release is overdue. */
  failure(): string | null;
  /** Since when it holds because something failed, by the gate's clock; null if it doesn't. */
  failingSince(): number | null;
  /** When it was last released, by performance.now(); never: negative infinity. */
  releasedAt(): number;
}

/** A released hold. `overdue` is the cause when a release is over; `onChange` is called on each call that changes the hold. */
export function createHold(overdue: string, { clock, onChange }: { clock: () => number; onChange: () => void }): Hold {
  let failure: { cause: string; since: number } | null = null;
  // By two clocks: only the first goes on while the machine sleeps, and only the second is never set back.
  let releasedUntil = Number.POSITIVE_INFINITY;
  let elapsedUntil = Number.POSITIVE_INFINITY;
  let releasedAt = Number.NEGATIVE_INFINITY;
  return {
    hold(cause) {
      failure = { cause, since: failure?.since ?? clock() };
      onChange();
    },
    release(until = Number.POSITIVE_INFINITY) {
      failure = null;
      releasedUntil = until;
      releasedAt = performance.now();
      elapsedUntil = releasedAt + (until - Date.now());
      onChange();
    },
    cause: () => failure?.cause ?? (Date.now() > releasedUntil || performance.now() > elapsedUntil ? overdue : null),
    failure: () => failure?.cause ?? null,
    failingSince: () => failure?.since ?? null,
    releasedAt: () => releasedAt,
  };
}
