import { mutatingAdmission, readMutating } from "#lib/cluster/admission/mutating-admission.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { Gate } from "#lib/rewrite/pacing/outage-gate.ts";
import { throughGate } from "#lib/rewrite/pacing/through-gate.ts";

/** What may change objects in admission, as mutatingAdmission tells it: null if that is unknown. */
export type AdmissionNow = () => Promise<string | null>;

/** What was written unchecked although it may have been changed in admission. */
export interface Exposed {
  /** At most this many objects. */
  objects: number;
  /** Nothing is known to have changed, but the last reading was denied. */
  unreadable: boolean;
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
  /**
   * The same of a no-op write, which raised an object's generation as defaults do `expected` times. One more proves that something mutates
   * that no reading may ever show, such as a static manifest of the API server: from then on it is unknown what does.
   */
  raised(expected: number): void;
  /** Reads once more if anything was written unchecked since the last reading. */
  close(): Promise<void>;
  /** The same when the work has ended early and its own signal is aborted. What can't be read within 800 ms stays untold. */
  lastLook(): Promise<void>;
  /** Null if admission was the same all the while. */
  exposed(): Exposed | null;
  /**
   * Objects that were changed while they were written unchecked, beside those in `exposed`: no reading has shown by what. Null if there are
   * none. Defaults may have raised some of the generations that rose, nobody knows of which objects.
   */
  changedUnseen(): { atLeast: number; atMost: number } | null;
}

/** A reading takes two requests, so that is 24 a minute; up to seven if mutating policies are not served at v1, or one matches. */
const READ_EVERY_MS = 5_000;
const READ_SOON_MS = 500;
/** Whoever stopped the work waits for its end, which is to come within a second. */
const LAST_LOOK_WITHIN_MS = 800;

interface Reading {
  /** Waits for an outage to end. */
  patient: boolean;
  /** By default the run's own signal. */
  within?: AbortSignal;
}

/** The watch over what may change a run's objects. */
export function admissionOf(connection: Connection, crd: Crd, version: string, gate: Gate, signal: AbortSignal): AdmissionWatch {
  return watchAdmission(({ patient, within = signal }) => {
    const request = { connection, crd, version, signal: within };
    const reading = patient ? readMutating(request, (send) => throughGate(gate, within, send)) : readMutating(request);
    return mutatingAdmission(reading, within);
  });
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
  // Raised generations; those that prove that something mutates, and how many of these are compared with a later reading, or told as
  // exposed.
  let rises = 0;
  let changed = 0;
  let compared = 0;
  let toldAsExposed = 0;
  const believed = async (telling: Promise<string | null>) => {
    const told = await telling;
    return changed > 0 ? null : told;
  };

  const begin = (options: Reading): Promise<string | null> => {
    begunAt = elapsed();
    isDistrusted = false;
    const began = { at: wall(), ended, changed };
    reading = read(options).then((told) => {
      compare(told, began, options.patient);
      return told;
    });
    return reading;
  };
  const compare = (told: string | null, began: { at: number; ended: number; changed: number }, patient: boolean) => {
    // What an outage hides is compared once it is over.
    if (told === null && !patient) return;
    if (known === null || (told === known.told && told !== null)) {
      accountedFor = Math.max(accountedFor, began.ended);
      compared = Math.max(compared, began.changed);
      known = { told, at: began.at };
      return;
    }
    const objects = ended + open - accountedFor;
    if (objects > 0) {
      const unreadable = told === null && (exposed?.unreadable ?? true);
      exposed = { objects: (exposed?.objects ?? 0) + objects, unreadable, from: exposed?.from ?? known.at, to: wall() };
    }
    toldAsExposed += Math.min(changed - compared, objects);
    compared = changed;
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
      return believed(age > READ_EVERY_MS || (isDistrusted && age > READ_SOON_MS) ? begin({ patient: false }) : reading);
    },
    again: () => believed(again()),
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
    raised(expected) {
      // A write that was under way when a reading told of something new is counted as exposed.
      if (known?.told !== "") return;
      isDistrusted = true;
      rises += 1;
      if (rises <= expected) return;
      changed += 1;
      if (changed === 1) void again().catch(() => null);
    },
    async close() {
      if (ended + open > accountedFor) await again();
    },
    async lastLook() {
      if (ended + open <= accountedFor) return;
      await begin({ patient: false, within: AbortSignal.timeout(LAST_LOOK_WITHIN_MS) }).catch(() => null);
    },
    exposed: () => exposed,
    changedUnseen() {
      const atLeast = changed - toldAsExposed;
      return atLeast > 0 ? { atLeast, atMost: Math.max(atLeast, rises) } : null;
    },
  };
}
