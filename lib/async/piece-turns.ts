import { setImmediate, setTimeout } from "node:timers/promises";
import { processWide } from "#lib/process-wide/process-wide.ts";
import { charge, hasHardlyAny, mayTakeLast, noteWaiting, type Shares, usedBy, yieldsFor } from "./piece-shares.ts";
import { untilAborted } from "./until-aborted.ts";

/** What all pieces together take of one turn of the event loop, and what the last one takes. */
const LONGEST_MS = 10;
/** A turn that took less needs no rest. */
const SHORT_MS = 2;
const LONGEST_REST_MS = 100;
/** Whoever has waited for longer goes first, whatever others are owed: many people, or a chain of new ones, would keep them waiting. */
const LONGEST_WAIT_MS = 5_000;

/** Work that is done piece by piece, by its identity. */
export interface Work {
  readonly person: string;
  /** Whether its pieces may take longer than a turn. */
  readonly isLong: boolean;
  /** It takes one with its first piece, and has it until it ends. */
  readonly places: Places;
}

/** For work of one kind, each with a text in memory. */
export interface Places {
  /** Two at least: the last one is kept for whoever has had less time. */
  readonly inAll: number;
  readonly taken: Set<Work>;
}

interface PieceTurns {
  /** When the first piece of this turn of the event loop began; null if none has. */
  begunAt: number | null;
  isResting: boolean;
  /** Until when a piece waits for somebody who has had less; infinity if none does. */
  yieldingUntil: number;
  /** Whose piece is being done, since when. */
  atWork: { work: Work; since: number } | null;
  /** How long the pieces of this turn took. */
  tookMs: number;
  /** Whether a long one began the last turn. */
  wasLong: boolean;
  /** Oldest first. */
  readonly waiting: Set<Waiting>;
  readonly shares: Shares;
}

interface Waiting {
  work: Work;
  since: number;
  begin: () => void;
}

/**
 * Resolves when the next piece of this work may be done. To be called once the last one is done, and endPieces once all are. Of all work in
 * this process, as much is done in one turn of the event loop as takes 10 ms, or one long piece. What others have to do comes next, for as
 * long as that took, and after a long piece for as long as the entire turn took: with only a turn for it, each of its short steps would
 * wait for the pieces of everybody. Of the people who have pieces to do, each gets as much time, also who waits for a place.
 * @throws the signal's reason
 */
export async function nextPiece(work: Work, signal: AbortSignal): Promise<void> {
  const turns = pieceTurns();
  const { promise, resolve } = Promise.withResolvers<void>();
  const one = { work, since: performance.now(), begin: resolve };
  turns.waiting.add(one);
  const endWaiting = noteWaiting(turns.shares, work.person, one.since);
  if (turns.atWork?.work === work) endPiece(turns);
  beginNext(turns);
  try {
    await untilAborted(promise, signal);
  } finally {
    turns.waiting.delete(one);
    endWaiting(performance.now());
  }
}

/** To be called when the work has ended, however it did. */
export function endPieces(work: Work): void {
  const turns = pieceTurns();
  if (turns.atWork?.work === work) endPiece(turns);
  work.places.taken.delete(work);
  beginNext(turns);
}

function pieceTurns(): PieceTurns {
  return processWide<PieceTurns>("piece-turns", () => ({
    ...{ begunAt: null, isResting: false, yieldingUntil: Number.POSITIVE_INFINITY, atWork: null, tookMs: 0, wasLong: false },
    ...{ waiting: new Set(), shares: new Map() },
  }));
}

function beginNext(turns: PieceTurns): void {
  const { begunAt, waiting, shares } = turns;
  const now = performance.now();
  if (turns.isResting || turns.atWork !== null) return;
  if (begunAt !== null && now - begunAt >= LONGEST_MS) return;
  const next = whoIsNext(turns);
  if (!next) return;
  const yieldMs = yieldsFor(shares, next.work.person, now);
  if (yieldMs > 0) return void yieldFor(turns, yieldMs);
  if (begunAt === null) {
    turns.wasLong = next.work.isLong;
    void endTurn(turns);
  }
  waiting.delete(next);
  next.work.places.taken.add(next.work);
  turns.atWork = { work: next.work, since: now };
  next.begin();
}

/**
 * The oldest piece of whoever has had least, or one that has waited for too long. A long one begins a turn, and no two come one after the other
 * while a short one of the same person waits, or of somebody who has had hardly any time.
 */
function whoIsNext({ begunAt, wasLong, waiting, shares }: PieceTurns) {
  const now = performance.now();
  const isLate = ({ since }: Waiting) => now - since > LONGEST_WAIT_MS;
  const mayTake = mayTakeLast(shares, now);
  const least = (isLong: boolean) => {
    const [first, ...rest] = [...waiting].filter((one) => one.work.isLong === isLong && hasPlace(one, isLate(one), mayTake));
    if (!first || isLate(first)) return first;
    return rest.reduce((one, other) => (usedBy(shares, other.work.person) < usedBy(shares, one.work.person) ? other : one), first);
  };
  const short = least(false);
  const long = begunAt === null ? least(true) : undefined;
  if (!short || !long) return short ?? long;
  if (isLate(short) !== isLate(long)) return isLate(short) || wasLong ? short : long;
  const [ofShort, ofLong] = [usedBy(shares, short.work.person), usedBy(shares, long.work.person)];
  return ofShort < ofLong || (wasLong && (ofShort === ofLong || hasHardlyAny(shares, short.work.person))) ? short : long;
}

/** Whether the work has a place, or may take one: two people whose work takes long would otherwise have all places, most of the time. */
function hasPlace({ work }: Waiting, isLate: boolean, mayTake: ReturnType<typeof mayTakeLast>): boolean {
  const { inAll, taken } = work.places;
  const free = inAll - taken.size;
  return taken.has(work) || free > 1 || (free === 1 && (isLate || mayTake(work.person)));
}

/** Whoever has had less and asks meanwhile begins at once. */
async function yieldFor(turns: PieceTurns, ms: number): Promise<void> {
  const until = performance.now() + ms;
  // Another may wait for longer.
  if (turns.yieldingUntil <= until) return;
  turns.yieldingUntil = until;
  await setTimeout(ms);
  if (turns.yieldingUntil === until) turns.yieldingUntil = Number.POSITIVE_INFINITY;
  beginNext(turns);
}

function endPiece(turns: PieceTurns): void {
  const { atWork, shares } = turns;
  if (!atWork) return;
  const now = performance.now();
  turns.tookMs += now - atWork.since;
  charge(shares, atWork.work.person, now - atWork.since, now);
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
