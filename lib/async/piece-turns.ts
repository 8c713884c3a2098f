import { setImmediate, setTimeout } from "node:timers/promises";
import { processWide } from "#lib/process-wide/process-wide.ts";
import { untilAborted } from "./until-aborted.ts";

/** What all pieces together take of one turn of the event loop, and what the last one takes. */
const LONGEST_MS = 10;
/** A turn that took less needs no rest. */
const SHORT_MS = 2;
const LONGEST_REST_MS = 100;

/** Work that is done piece by piece, by its identity. */
export type Work = object;

interface PieceTurns {
  /** When the first piece of this turn of the event loop began; null if none has. */
  begunAt: number | null;
  isResting: boolean;
  /** Whose piece is being done, since when. */
  atWork: { work: Work; since: number } | null;
  /** How long the pieces of this turn took. */
  tookMs: number;
  /** Whether a long one began the last turn. */
  wasLong: boolean;
  /** Oldest first. */
  readonly waiting: Set<{ work: Work; isLong: boolean; begin: () => void }>;
}

/**
 * Resolves when the next piece of this work may be done. To be called once the last one is done. Of all work in this process, as much is
 * done in one turn of the event loop as takes 10 ms, or one long piece. What others have to do comes next, for as long as that took, and after a long piece for as long as the entire turn took:
 * with only a turn for it, each of its many short steps would wait for the pieces of everybody.
 * @throws the signal's reason
 */
export async function nextPiece(work: Work, { isLong, signal }: { isLong: boolean; signal: AbortSignal }): Promise<void> {
  const { waiting } = pieceTurns();
  const { promise, resolve } = Promise.withResolvers<void>();
  const one = { work, isLong, begin: resolve };
  waiting.add(one);
  endPieces(work);
  try {
    await untilAborted(promise, signal);
  } finally {
    waiting.delete(one);
  }
}

/** To be called when the work has ended, however it did. */
export function endPieces(work: Work): void {
  const turns = pieceTurns();
  if (turns.atWork?.work === work) endPiece(turns);
  beginNext(turns);
}

function pieceTurns(): PieceTurns {
  return processWide<PieceTurns>("piece-turns", () => ({
    ...{ begunAt: null, isResting: false, atWork: null, tookMs: 0, wasLong: false },
    waiting: new Set(),
  }));
}

function beginNext(turns: PieceTurns): void {
  const { begunAt, waiting } = turns;
  if (turns.isResting || turns.atWork !== null) return;
  if (begunAt !== null && performance.now() - begunAt >= LONGEST_MS) return;
  // A long one begins a turn, and no two of them one after the other while shorter ones wait.
  const [first] = waiting;
  const short = waiting.values().find(({ isLong }) => !isLong);
  const next = begunAt !== null ? short : turns.wasLong ? (short ?? first) : first;
  if (!next) return;
  if (begunAt === null) {
    turns.wasLong = next.isLong;
    void endTurn(turns);
  }
  waiting.delete(next);
  turns.atWork = { work: next.work, since: performance.now() };
  next.begin();
}

function endPiece(turns: PieceTurns): void {
  if (turns.atWork) turns.tookMs += performance.now() - turns.atWork.since;
  turns.atWork = null;
}

async function endTurn(turns: PieceTurns): Promise<void> {
  const begunAt = performance.now();
  Object.assign(turns, { begunAt, tookMs: 0 });
  await setImmediate();
  turns.begunAt = null;
  // Its work may be waiting for something else.
  endPiece(turns);
  turns.isResting = true;
  // Where there was a long one, what is done with its result is in this turn, too.
  const tookMs = turns.wasLong ? performance.now() - begunAt : turns.tookMs;
  if (tookMs >= SHORT_MS) await setTimeout(Math.min(tookMs, LONGEST_REST_MS));
  turns.isResting = false;
  beginNext(turns);
}
