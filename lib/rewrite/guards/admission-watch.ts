/** What may change objects in admission, as mutatingAdmission tells it: null if that is unknown. */
export type AdmissionNow = () => Promise<string | null>;

/** What was written unchecked although it may have been changed in admission. */
export interface Exposed {
  /** At most this many objects. */
  objects: number;
  /** The times of the last reading before the change and of the first one after it, in ms since the epoch. */
  from: number;
  to: number;
}

/** Keeps an eye on what may change objects in admission, and on the writes that rely on it. */
export interface AdmissionWatch {
  /** As read at most five seconds ago. */
  now: AdmissionNow;
  /** Read after this call. */
  again: AdmissionNow;
  /** Sends a write of an object that is not checked, because `now` told that it need not be. */
  unchecked<Answer>(write: () => Promise<Answer>): Promise<Answer>;
  /** A write changed an object although nothing was known to mutate: reads soon. */
  distrust(): void;
  /** Reads once more if anything was written unchecked since the last reading. */
  close(): Promise<void>;
  /** The same when the run has ended early and its own signal is aborted; what can't be read before `within` aborts stays untold. */
  lastLook(within: AbortSignal): Promise<void>;
  /** Null if admission was the same all the while. */
  exposed(): Exposed | null;
}

/** A reading takes two requests, so that is 24 a minute; up to seven if mutating policies are not served at v1, or one matches. */
const READ_EVERY_MS = 5_000;
const READ_SOON_MS = 500;

interface Reading {
  /** Waits for an outage to end. */
  patient: boolean;
  /** By default the run's own signal. */
  within?: AbortSignal;
}

/** `read` tells what mutates, null if that is unknown. */
export function watchAdmission(
  read: (options: Reading) => Promise<string | null>,
  { elapsed, wall }: { elapsed: () => number; wall: () => number } = { elapsed: () => performance.now(), wall: Date.now },
): AdmissionWatch {
  let begunAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<string | null> = Promise.resolve(null);
  let isDistrusted = false;
  /** What the last successful reading told, and when it began. */
  let known: { told: string | null; at: number } | null = null;
  // Writes that may still be stored, those that have ended, and how many of these were before the last reading that told the same.
  let open = 0;
  let ended = 0;
  let accountedFor = 0;
  let exposed: Exposed | null = null;

  const begin = (options: Reading): Promise<string | null> => {
    begunAt = elapsed();
    isDistrusted = false;
    const began = { at: wall(), ended };
    reading = read(options).then((told) => {
      compare(told, began, options.patient);
      return told;
    });
    return reading;
  };
  const compare = (told: string | null, began: { at: number; ended: number }, patient: boolean) => {
    // What an outage hides is compared once it is over.
    if (told === null && !patient) return;
    if (known === null || (told === known.told && told !== null)) {
      accountedFor = Math.max(accountedFor, began.ended);
      known = { told, at: began.at };
      return;
    }
    const objects = ended + open - accountedFor;
    if (objects > 0) exposed = { objects: (exposed?.objects ?? 0) + objects, from: exposed?.from ?? known.at, to: wall() };
    accountedFor = ended + open;
    known = { told, at: began.at };
  };
  const again = async () => {
    await reading.catch(() => null);
    return begin({ patient: true });
  };

  return {
    now() {
      const age = elapsed() - begunAt;
      return age > READ_EVERY_MS || (isDistrusted && age > READ_SOON_MS) ? begin({ patient: false }) : reading;
    },
    again,
    async unchecked(write) {
      open += 1;
      try {
        return await write();
      } finally {
        open -= 1;
        ended += 1;
      }
    },
    distrust() {
      // If something mutates anyway, it may well change each object.
      if (known?.told === "") isDistrusted = true;
    },
    async close() {
      if (ended + open > accountedFor) await again();
    },
    async lastLook(within) {
      if (ended + open > accountedFor) await begin({ patient: false, within }).catch(() => null);
    },
    exposed: () => exposed,
  };
}
