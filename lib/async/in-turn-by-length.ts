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

/** Of shorter ones, each takes some megabytes once it is parsed. */
const MOST_SHORTER = 16;

/**
 * Does work on a text, in turns with others: of one of more than 16 KiB, each person has one at work. Those of more than 128 KiB have a line
 * of their own, one after the other: parsed side by side, they would fill the memory. All together do as much in one turn of the event loop
 * as nextPiece allows, and each person as much as another.
 * @throws the signal's reason if it aborts before its turn, and what the work throws.
 */
export function inTurnByLength<Result>(
  { kind, length, person }: { kind: Kind; length: number; person: string },
  signal: AbortSignal,
  work: (nextTurn: NextTurn) => Result | Promise<Result>,
): Promise<Result> | Result {
  if (length < TAKES_TIME) return work(async () => {});
  const isLong = length >= LONG;
  const turns = processWide(`${isLong ? "long" : "medium"} ${kind}`, () => noTurns(isLong ? 1 : MOST_SHORTER));
  return inTurn(turns, { person, mostAtWork: 1 }, signal, async () => {
    const pieces = { person, isLong };
    const nextTurn = () => nextPiece(pieces, signal);
    try {
      await nextTurn();
      return await work(nextTurn);
    } finally {
      endPieces(pieces);
    }
  });
}
