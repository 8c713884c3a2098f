import { clusterAnswer } from "#lib/cluster/transport/cluster-answer.ts";
import { isConversionFailure } from "#lib/cluster/transport/conversion-failures.ts";
import { classifyFailure } from "#lib/rewrite/run/object/request/classify-failure.ts";
import type { Gate } from "./outage-gate.ts";

/** A conversion that fails only after this long is not one object's fault: the webhook does not answer. */
const HANGING_AFTER_MS = 5_000;

/**
 * Sends a request that is not about a single object: waits for the gate and retries after temporary failures. Unless `patient`, it throws
 * a failed conversion, because one object may be to blame and the caller finds out which.
 */
export async function throughGate<Answer>(
  gate: Gate,
  signal: AbortSignal,
  request: () => Promise<Answer>,
  { patient }: { patient: boolean } = { patient: true },
): Promise<Answer> {
  let isAlone = false;
  const answered = () => {
    gate.open();
    // All that failed was this request. Work that only lists makes no other progress, and may meet the next outage hours later.
    if (isAlone) gate.progressed();
  };
  for (;;) {
    const permit = await gate.enter(signal);
    if (permit.use() === null) continue;
    const sentAt = performance.now();
    try {
      const answer = await request();
      answered();
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      const failure = classifyFailure(error, null);
      const answer = clusterAnswer(error);
      if (failure.kind !== "wait" || (!patient && answer && isConversionFailure(answer))) {
        // The server answered: an error such as an expired continue token concerns only this list. A long hang concerns all requests.
        if (failure.kind === "wait" && performance.now() - sentAt > HANGING_AFTER_MS) gate.close(failure.message, failure.afterMs);
        else answered();
        throw error;
      }
      isAlone = gate.close(failure.message, failure.afterMs) || isAlone;
    }
  }
}
