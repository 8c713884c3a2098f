import { setImmediate } from "node:timers/promises";
import { inTurn, noTurns } from "#lib/async/in-turn.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";
import { roomFor } from "./held-answers.ts";

const KIB = 1024;
/** An answer of less is made at once. */
const SHORT_BYTES = 256 * KIB;
/** Of a person's answers that wait for their reader, in bytes; a longer one is made only below that. */
const MOST_HELD_BY = { person: 24 * KIB * KIB, shared: 48 * KIB * KIB };
/** Others have their turn after so much of it. */
const IN_ONE_TURN = 1024 * KIB;

/** In whose turns answers are made: one of a person's at a time, and one of everybody's. */
function makingTurns() {
  return processWide("making-answers", () => ({ ofPerson: noTurns(Number.POSITIVE_INFINITY), ofAll: noTurns(1) }));
}

/**
 * Makes an answer, and calls `hold` with its bytes. One that is longer than 256 KiB is made once its person has room, which their other
 * answers leave that are not read yet, and while no other is made: sixteen answers of a person, of 40 MB each, made side by side would be
 * in memory before one of them counts. Behind a proxy, where all share one account and are one person, the one that is read most slowly is
 * broken off for room.
 * @throws the signal's reason.
 */
export async function makeAnswer<Held>(
  pieces: AsyncIterable<Uint8Array<ArrayBuffer>>,
  { person, isShared }: { person: string; isShared: boolean },
  signal: AbortSignal,
  hold: (bytes: Uint8Array<ArrayBuffer>) => Held,
): Promise<Held> {
  const made: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  const iterator = pieces[Symbol.asyncIterator]();
  /** Whether that is all. */
  const makeUntil = async (bytes: number) => {
    while (length <= bytes) {
      const { done, value } = await iterator.next();
      if (done) return true;
      made.push(value);
      length += value.length;
    }
    return false;
  };
  const whole = () => hold(made.length === 1 && made[0] ? made[0] : Buffer.concat(made));
  try {
    if (await makeUntil(SHORT_BYTES)) return whole();
    const place = { person, mostAtWork: 1 };
    const { ofPerson, ofAll } = makingTurns();
    return await inTurn(ofPerson, place, signal, async () => {
      await roomFor(person, isShared ? MOST_HELD_BY.shared : MOST_HELD_BY.person, { breaksOff: isShared }, signal);
      return inTurn(ofAll, place, signal, async () => {
        while (!(await makeUntil(length + IN_ONE_TURN))) await setImmediate(undefined, { signal });
        return whole();
      });
    });
  } catch (error) {
    await iterator.return?.();
    throw error;
  }
}
