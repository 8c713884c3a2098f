import { clusterAnswer } from "#lib/cluster/transport/cluster-answer.ts";
import { isRefusedBeforeStored } from "#lib/cluster/transport/refused-writes.ts";
import type { Sending } from "#lib/cluster/transport/whole-answer.ts";
import type { ExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { type Gate, GateHeld } from "#lib/rewrite/pacing/outage-gate.ts";

/** What is known of the earlier attempts to write an object. */
export interface Attempts {
  /** One of them may have been stored although no answer said so. */
  unanswered: boolean;
  /** The managedFields with which the last of these left the object. What crdshift's own entry there has taken belongs to their owners. */
  owners: readonly ExactJson[] | null;
  /** One of them would have carried entries over, so the next does that. */
  mayBeCarried: boolean;
  /** Ends the wait for an answer, later than the work: what has been sent may be stored all the same. */
  readonly answering: AbortSignal;
}

export function noAttempts(answering: AbortSignal): Attempts {
  return { unanswered: false, owners: null, mayBeCarried: false, answering };
}

/**
 * Sends a write while the gate isn't held, unless `within` ends before, and notes if it may have been stored although no answer says so.
 * `owners`: the managedFields that it leaves.
 * @throws GateHeld as whenReleased, the write's errors, and the reason.
 */
export async function noteLostAnswer<Answer>(
  attempts: Attempts,
  { within, gate, owners }: { within: AbortSignal; gate?: Pick<Gate, "whenReleased" | "held"> | undefined; owners: readonly ExactJson[] },
  send: (how: { signal: AbortSignal; sending: Sending }) => Promise<Answer>,
): Promise<Answer> {
  for (;;) {
    await gate?.whenReleased(within);
    let isSent = false;
    const begun = () => {
      isSent = true;
    };
    const refused = () => {
      isSent = false;
    };
    try {
      return await send({ signal: attempts.answering, sending: { within, held: () => gate?.held() ?? null, begun, refused } });
    } catch (error) {
      // It has waited for credentials or for a connection; the next reading of the definition may be all that is due.
      if (error instanceof GateHeld && !isSent) continue;
      const answer = clusterAnswer(error);
      if (isSent && !(answer && isRefusedBeforeStored(answer))) noteUnanswered(attempts, owners);
      throw error;
    }
  }
}

/** Notes that a write may have been stored although no answer says so. */
export function noteUnanswered(attempts: Attempts, owners: readonly ExactJson[]): void {
  attempts.unanswered = true;
  attempts.owners = owners;
}
