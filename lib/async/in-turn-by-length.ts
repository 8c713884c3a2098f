import { processWide } from "#lib/process-wide/process-wide.ts";
import { inTurn, noTurns } from "./in-turn.ts";
import { endPieces, nextPiece } from "./piece-turns.ts";

/** In characters. Of `0,` that is eight thousand values, which take milliseconds, and the answers about hundreds may arrive in one turn. */
export const TAKES_TIME = 16 * 1024;
/** Likewise: from then on, a step of work on a text begins with a turn of the event loop, and an answer needs a turn to arrive. */
export const LONG = 128 * 1024;

/** What is worked on. */
type Kind = "answers" | "definitions" | "objects";

/** To be awaited between the steps of work on a text (nextPiece). Throws the signal's reason. */
export type NextTurn = () => Promise<void>;

/**
 * Does work on a text: on one of more than 16 KiB, one at a time, and people take turns. Those of more than 128 KiB have a line of their own,
 * so that the others don't wait for them; parsed side by side, they would fill the memory. All lines together do as much in one turn of the
 * event loop as nextPiece allows.
 * @throws the signal's reason if it aborts before its turn, and what the work throws.
 */
export function inTurnByLength<Result>(
  { kind, length, person }: { kind: Kind; length: number; person: string },
  signal: AbortSignal,
  work: (nextTurn: NextTurn) => Result | Promise<Result>,
): Promise<Result> | Result {
  if (length < TAKES_TIME) return work(async () => {});
  const turns = processWide(`${length < LONG ? "medium" : "long"} ${kind}`, () => noTurns(1));
  return inTurn(turns, { person, mostAtWork: 1 }, signal, async () => {
    const pieces = {};
    const nextTurn = () => nextPiece(pieces, { isLong: length >= LONG, signal });
    try {
      await nextTurn();
      return await work(nextTurn);
    } finally {
      endPieces(pieces);
    }
  });
}
