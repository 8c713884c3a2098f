import { clusterAnswer } from "#lib/cluster/transport/errors.ts";
import { GateHeld } from "#lib/rewrite/pacing/outage-gate.ts";

/** What is known of the earlier attempts to write an object. */
export interface Attempts {
  /** One of them may have been stored although no answer said so. */
  unanswered: boolean;
}

/** Passes a write's error on, and notes if the write may have been stored all the same. */
export function noteLostAnswer(attempts: Attempts): (error: unknown) => never {
  return (error) => {
    // Nothing was sent.
    if (error instanceof GateHeld) throw error;
    const status = clusterAnswer(error)?.status ?? 0;
    if (status === 0 || status >= 500) attempts.unanswered = true;
    throw error;
  };
}
