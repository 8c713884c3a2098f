import { processWide } from "#lib/process-wide/process-wide.ts";
import { inTurn, noTurns } from "./in-turn.ts";
import { endPieces, nextPiece, type Places } from "./piece-turns.ts";

/** In characters. Of `0,` that is eight thousand values, which take milliseconds, and the answers about hundreds may arrive in one turn. */
export const TAKES_TIME = 16 * 1024;
/** Likewise: from then on, a step of work on a text begins with a turn of the event loop, and an answer needs a turn to arrive. */
export const LONG = 128 * 1024;

/** What is worked on. */
type Kind = "answers" | "definitions" | "objects";

/** To be awaited between the steps of work on a text (nextPiece). Throws the signal's reason. */
export type NextTurn = () => Promise<void>;

/**
 * Of each kind. Each shorter one takes some megabytes once it is parsed, and longer ones tens of them. One of those takes seconds: there
 * is a place for another person's between its pieces.
 */
const MOST_AT_WORK = { shorter: 16, longer: 2 };

/**
 * Does work on a text, in turns with others: each person has one of more than 16 KiB at work, and one of more than 128 KiB. Of those, two
 * are at work in all: parsed side by side, many would fill the memory. All together do as much in one turn of the event loop as nextPiece
 * allows, and each person as much as another.
 * @throws the signal's reason if it aborts before its turn, and what the work throws.
 */
export function inTurnByLength<Result>(
  { kind, length, person }: { kind: Kind; length: number; person: string },
  signal: AbortSignal,
  work: (nextTurn: NextTurn) => Result | Promise<Result>,
): Promise<Result> | Result {
  if (length < TAKES_TIME) return work(async () => {});
  const isLong = length >= LONG;
  const { ofPerson, places } = processWide(`${isLong ? "long" : "medium"} ${kind}`, () => ({
    // No places but one of each person's: who gets one of the others is up to the time that each has had (nextPiece).
    ofPerson: noTurns(Number.POSITIVE_INFINITY),
    places: { inAll: isLong ? MOST_AT_WORK.longer : MOST_AT_WORK.shorter, taken: new Set() } satisfies Places,
  }));
  return inTurn(ofPerson, { person, mostAtWork: 1 }, signal, async () => {
    const pieces = { person, isLong, places };
    const nextTurn = () => nextPiece(pieces, signal);
    try {
      await nextTurn();
      return await work(nextTurn);
    } finally {
      endPieces(pieces);
    }
  });
}
