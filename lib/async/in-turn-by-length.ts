import { setImmediate } from "node:timers/promises";
import { processWide } from "#lib/process-wide/process-wide.ts";
import { inTurn, noTurns } from "./in-turn.ts";

/** In characters. Of `0,` that is eight thousand values, which take milliseconds, and the answers about hundreds may arrive in one turn. */
export const TAKES_TIME = 16 * 1024;
/** Likewise: from then on, each step of work on a text has a turn of the event loop of its own, and an answer needs a turn to arrive. */
export const LONG = 128 * 1024;

/** What is worked on. */
type Kind = "answers" | "objects";

/**
 * To be awaited between the steps of work on a text: of medium ones, as much is done in one turn of the event loop as takes 10 ms. Throws the
 * signal's reason.
 */
export type NextTurn = () => Promise<void>;

/**
 * Does work on a text: on one of more than 16 KiB, one at a time, and people take turns. Those of more than 128 KiB have a line of their own,
 * so that the others don't wait for them; parsed side by side, they would fill the memory.
 * @throws the signal's reason if it aborts before its turn, and what the work throws.
 */
export function inTurnByLength<Result>(
  { kind, length, person }: { kind: Kind; length: number; person: string },
  signal: AbortSignal,
  work: (nextTurn: NextTurn) => Result | Promise<Result>,
): Promise<Result> | Result {
  if (length < TAKES_TIME) return work(async () => {});
  const turns = processWide(`${length < LONG ? "medium" : "long"} ${kind}`, () => noTurns(1));
  const nextTurn = async () => {
    await (length < LONG ? yieldIfDue(kind) : setImmediate());
    signal.throwIfAborted();
  };
  return inTurn(turns, { person, mostAtWork: 1 }, signal, async () => {
    await nextTurn();
    return work(nextTurn);
  });
}

const LONGEST_MS = 10;

// With a turn for each of many short pieces, whoever does long ones beside them would slow them down as many times. A turn takes 10 ms, and
// what the last piece takes. Only the one at work in its line may ask: of two, the one that never waits would keep the other waiting.
async function yieldIfDue(kind: Kind): Promise<void> {
  const begunAt = processWide("medium-texts", () => new Map<Kind, number>());
  while (performance.now() - (begunAt.get(kind) ?? performance.now()) >= LONGEST_MS) await setImmediate();
  if (begunAt.has(kind)) return;
  begunAt.set(kind, performance.now());
  void setImmediate().then(() => begunAt.delete(kind));
}
