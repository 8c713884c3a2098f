import { clusterAnswer, isRefusedBeforeStored } from "#lib/cluster/transport/errors.ts";
import { isUnsent } from "#lib/cluster/transport/unsent.ts";

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

/** Sends a write, and notes if it may have been stored although no answer says so. Throws the write's errors. */
export async function noteLostAnswer<Answer>(attempts: Attempts, send: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
  try {
    return await send(attempts.answering);
  } catch (error) {
    if (mayBeStored(error)) attempts.unanswered = true;
    throw error;
  }
}

function mayBeStored(error: unknown): boolean {
  const answer = clusterAnswer(error);
  return answer ? !isRefusedBeforeStored(answer) : !isUnsent(error);
}
