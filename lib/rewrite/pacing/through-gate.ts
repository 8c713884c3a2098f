import { clusterAnswer, isConversionFailure } from "#lib/cluster/transport/errors.ts";
import { classifyFailure } from "#lib/rewrite/run/classify-failure.ts";
import type { Gate } from "./outage-gate.ts";

/** A conversion that fails after this long did not fail for one object's sake: the webhook does not answer. */
const HANGING_AFTER_MS = 5_000;

/**
 * A request that is not about one object: sent when the gate is open, again after whatever is worth waiting for. Unless it is
 * patient, a failing conversion is thrown: some object may be to blame, and the caller finds out which.
 */
export async function throughGate<Answer>(
  gate: Gate,
  signal: AbortSignal,
  request: () => Promise<Answer>,
  { patient }: { patient: boolean } = { patient: true },
): Promise<Answer> {
  for (;;) {
    const admission = await gate.enter(signal);
    if (admission.use() === null) continue;
    const sentAt = performance.now();
    try {
      const answer = await request();
      gate.open();
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      const failure = classifyFailure(error, null);
      const answer = clusterAnswer(error);
      if (failure.kind !== "wait" || (!patient && answer && isConversionFailure(answer))) {
        // The server answered; an expired continue token, say, is the list's own affair. Half a minute without a word is everybody's.
        if (failure.kind === "wait" && performance.now() - sentAt > HANGING_AFTER_MS) gate.close(failure.message, failure.afterMs);
        else gate.open();
        throw error;
      }
      gate.close(failure.message, failure.afterMs);
    }
  }
}
