import { clusterAnswer, isConversionFailure } from "#lib/cluster/errors.ts";
import { classifyFailure } from "./classify-failure.ts";
import type { Gate } from "./gate.ts";

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
    await gate.enter(signal);
    try {
      const answer = await request();
      gate.open();
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      const failure = classifyFailure(error, null);
      const answer = clusterAnswer(error);
      if (failure.kind !== "wait" || (!patient && answer && isConversionFailure(answer))) {
        // The server answered; an expired continue token, say, is the list's own affair.
        gate.open();
        throw error;
      }
      gate.close(failure.message, failure.afterMs);
    }
  }
}
