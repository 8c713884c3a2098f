import type { Turns } from "#lib/async/in-turn.ts";
import { sleep } from "#lib/async/sleep.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";

/** Of all answers that wait for their readers, in bytes. */
const MOST_HELD = 96 * 1024 * 1024;

/** However slowly somebody reads, others wait no longer for their turn. */
const HELD_AT_LEAST_MS = 2_000;
const BREAK_OFF_EVERY_MS = 100;
const LOOK_EVERY_MS = 50;

interface Held {
  person: string;
  bytes: number;
  /** Whether its request's turn lasts until it is read. */
  holdsTurn: boolean;
  /** How many of them its reader has taken by now. */
  read: () => number;
  breakOff: () => void;
}

interface HeldAnswers {
  /** Since when, by performance.now(); oldest first. */
  readonly since: Map<Held, number>;
  /** How many answers wait to be made, until others of their person are read. */
  waiting: number;
  /** When the last one was broken off for somebody's turn, and for room, by performance.now(). */
  brokenOffAt: Record<"turn" | "room", number>;
}

function heldAnswers(): HeldAnswers {
  return processWide("held-answers", () => ({
    since: new Map(),
    waiting: 0,
    brokenOffAt: { turn: Number.NEGATIVE_INFINITY, room: Number.NEGATIVE_INFINITY },
  }));
}

/**
 * Counts a long answer as in memory until the returned function is called. While all together are too long, the oldest one of whoever has
 * the most is broken off: many people who read slowly must not use up the memory, nor keep others from reading.
 */
export function holdAnswer(held: Held): () => void {
  const { since } = heldAnswers();
  since.set(held, performance.now());
  let bytes = since.keys().reduce((sum, one) => sum + one.bytes, 0);
  while (bytes > MOST_HELD && since.size > 1) {
    const [oldest] = ofWhoeverHasMost(since.keys());
    if (!oldest) break;
    since.delete(oldest);
    bytes -= oldest.bytes;
    oldest.breakOff();
  }
  return () => void since.delete(held);
}

/**
 * Called again and again for a person who waits for one of these turns: breaks off the answer that is read most slowly, of those that have
 * been read for two seconds; ten a second at most. It is one of whoever has the most at work, but never of somebody who has no more than the
 * one who waits, so that nobody's many requests end another's; if there is nobody with more, one of their own: behind a proxy, everybody is
 * one person. While answers hold less than half of the turns, it is the cluster that others wait for, and none is broken off.
 */
export function breakOffFor(person: string, turns: Turns): void {
  const held = heldAnswers();
  const now = performance.now();
  const holding = [...held.since].filter(([{ holdsTurn }]) => holdsTurn);
  if (2 * (holding.length + held.waiting) < turns.atWork) return;
  const atWork = (one: { person: string }) => turns.lines.get(one.person)?.atWork ?? 0;
  const mine = atWork({ person });
  const most = Math.max(0, ...holding.filter(isOld(now)).map(([one]) => atWork(one)));
  const ofOthers = most > (mine === 0 ? 0 : mine + 1);
  breakOffSlowest("turn", (one) => one.holdsTurn && (ofOthers ? atWork(one) === most : one.person === person));
}

/**
 * Resolves once less than `most` bytes of a person's answers wait for their reader. With `breaksOff`, the slowest of them is broken off for
 * that.
 * @throws the signal's reason.
 */
export async function roomFor(person: string, most: number, { breaksOff }: { breaksOff: boolean }, signal: AbortSignal): Promise<void> {
  const held = heldAnswers();
  held.waiting += 1;
  try {
    while (heldBy(person) >= most) {
      if (breaksOff) breakOffSlowest("room", (one) => one.person === person);
      await sleep(LOOK_EVERY_MS, signal);
    }
  } finally {
    held.waiting -= 1;
  }
}

/** How much of a person's answers waits for their reader, in bytes. */
function heldBy(person: string): number {
  const theirs = heldAnswers()
    .since.keys()
    .filter((one) => one.person === person);
  return theirs.reduce((sum, { bytes }) => sum + bytes, 0);
}

function breakOffSlowest(what: "turn" | "room", isEligible: (one: Held) => boolean): void {
  const held = heldAnswers();
  const now = performance.now();
  if (now - held.brokenOffAt[what] < BREAK_OFF_EVERY_MS) return;
  const rateOf = ([one, since]: [Held, number]) => one.read() / (now - since);
  const [slowest] = [...held.since]
    .filter(isOld(now))
    .filter(([one]) => isEligible(one))
    .toSorted((one, other) => rateOf(one) - rateOf(other));
  if (!slowest) return;
  const [answer] = slowest;
  held.brokenOffAt[what] = now;
  held.since.delete(answer);
  answer.breakOff();
}

function isOld(now: number): (held: [Held, number]) => boolean {
  return ([, since]) => now - since >= HELD_AT_LEAST_MS;
}

function ofWhoeverHasMost(answers: Iterable<Held>): Held[] {
  const bytesOf = (held: readonly Held[]) => held.reduce((sum, { bytes }) => sum + bytes, 0);
  let most: Held[] = [];
  for (const theirs of Map.groupBy(answers, ({ person }) => person).values()) if (bytesOf(theirs) > bytesOf(most)) most = theirs;
  return most;
}
