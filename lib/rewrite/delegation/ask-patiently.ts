import { GateHeld } from "#lib/rewrite/pacing/outage-gate.ts";
import { throughGate } from "#lib/rewrite/pacing/through-gate.ts";
import type { Progress } from "#lib/rewrite/run/progress/progress.ts";

/** Sends a request of a run that waits for the cluster's own engine, again for as long as an outage lasts. */
export type Ask = <Answer>(request: () => Promise<Answer>) => Promise<Answer>;

/** Asks through the run's gate. Throws as throughGate. */
export function askPatiently({ gate, signal }: Pick<Progress, "gate" | "signal">): Ask {
  return async (request) => {
    for (;;) {
      try {
        const answer = await throughGate(gate, signal, request);
        // A successful poll ends an outage: crdshift may write no object itself for hours.
        gate.progressed();
        return answer;
      } catch (error) {
        // The next enter() waits until the run's record is renewed.
        if (!(error instanceof GateHeld)) throw error;
      }
    }
  };
}
