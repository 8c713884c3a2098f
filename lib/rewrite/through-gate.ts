import { classifyFailure } from "./classify-failure.ts";
import type { Gate } from "./gate.ts";

/** A request that is not about one object: sent when the gate is open, again after whatever is worth waiting for. */
export async function throughGate<Answer>(gate: Gate, signal: AbortSignal, request: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    await gate.enter(signal);
    try {
      const answer = await request();
      gate.open();
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      const failure = classifyFailure(error, null);
      if (failure.kind !== "wait") {
        // The server answered; an expired continue token, say, is the list's own affair.
        gate.open();
        throw error;
      }
      gate.close(failure.message, failure.afterMs);
    }
  }
}
