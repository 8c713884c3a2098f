import type { Turns } from "#lib/async/in-turn.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";

/** Of all answers that wait for their readers, in bytes. */
const MOST_HELD = 96 * 1024 * 1024;

/** However slowly somebody reads, others wait no longer for their turn. */
const HELD_AT_LEAST_MS = 2_000;
const BREAK_OFF_EVERY_MS = 100;

interface Held {
  person: string;
  bytes: number;
  /** How many of them its reader has taken by now. */
  read: () => number;
  breakOff: () => void;
}

interface HeldAnswers {
  /** Since when, by performance.now(); oldest first. */
  readonly since: Map<Held, number>;
  brokenOffAt: number;
}

function heldAnswers(): HeldAnswers {
  return processWide("held-answers", () => ({ since: new Map(), brokenOffAt: Number.NEGATIVE_INFINITY }));
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
  if (now - held.brokenOffAt < BREAK_OFF_EVERY_MS || 2 * held.since.size < turns.atWork) return;
  const atWork = (one: { person: string }) => turns.lines.get(one.person)?.atWork ?? 0;
  const mine = atWork({ person });
  const most = Math.max(0, ...[...held.since].filter(isOld(now)).map(([one]) => atWork(one)));
  const ofOthers = most > (mine === 0 ? 0 : mine + 1);
  breakOffSlowest((one) => (ofOthers ? atWork(one) === most : one.person === person));
}

/** The same for a person who waits until their own answers take less memory. */
export function breakOffOwn(person: string): void {
  if (performance.now() - heldAnswers().brokenOffAt < BREAK_OFF_EVERY_MS) return;
  breakOffSlowest((one) => one.person === person);
}

/** How much of a person's answers waits for their reader, in bytes. */
export function heldBy(person: string): number {
  const theirs = heldAnswers()
    .since.keys()
    .filter((one) => one.person === person);
  return theirs.reduce((sum, { bytes }) => sum + bytes, 0);
}

function breakOffSlowest(isEligible: (one: Held) => boolean): void {
  const held = heldAnswers();
  const now = performance.now();
  const rateOf = ([one, since]: [Held, number]) => one.read() / (now - since);
  const [slowest] = [...held.since]
    .filter(isOld(now))
    .filter(([one]) => isEligible(one))
    .toSorted((one, other) => rateOf(one) - rateOf(other));
  if (!slowest) return;
  const [answer] = slowest;
  held.brokenOffAt = now;
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
