import { clusterAnswer, isRefusedBeforeStored } from "#lib/cluster/transport/errors.ts";
import type { Sending } from "#lib/cluster/transport/whole-answer.ts";

/** What is known of the earlier attempts to write an object. */
export interface Attempts {
  /** One of them may have been stored although no answer said so. */
  unanswered: boolean;
  /** Ends the wait for an answer, later than the work: what has been sent may be stored all the same. */
  readonly answering: AbortSignal;
}

export function noAttempts(answering: AbortSignal): Attempts {
  return { unanswered: false, answering };
}

/**
 * Sends a write unless `within` ends before, and notes if it may have been stored although no answer says so. Throws the write's errors, and
 * the reason.
 */
export async function noteLostAnswer<Answer>(
  attempts: Attempts,
  within: AbortSignal,
  send: (how: { signal: AbortSignal; sending: Sending }) => Promise<Answer>,
): Promise<Answer> {
  let isSent = false;
  const begun = () => {
    isSent = true;
  };
  try {
    return await send({ signal: attempts.answering, sending: { within, begun } });
  } catch (error) {
    const answer = clusterAnswer(error);
    if (isSent && !(answer && isRefusedBeforeStored(answer))) attempts.unanswered = true;
    throw error;
  }
}
