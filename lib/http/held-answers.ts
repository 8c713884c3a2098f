import { processWide } from "#lib/process-wide/process-wide.ts";

/** Of all answers that wait for their readers, in bytes. */
const MOST_HELD = 96 * 1024 * 1024;

/** However slowly somebody reads, others wait no longer for their turn. */
const HELD_AT_LEAST_MS = 2_000;
const BREAK_OFF_EVERY_MS = 100;

interface Held {
  person: string;
  bytes: number;
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
 * Called again and again for whoever waits for a turn that such answers may hold, where people have so many `atWork`: breaks off the oldest
 * answer of whoever has the most, of those that have been read for two seconds; ten a second at most. Who `isAtLimit` waits only for their
 * own: behind a proxy, that is everybody. Anyone else waits only for those who have more, so that nobody's many requests end another's.
 */
export function breakOffFor({ person, isAtLimit }: { person: string; isAtLimit: boolean }, atWork: (person: string) => number): void {
  const held = heldAnswers();
  const now = performance.now();
  if (now - held.brokenOffAt < BREAK_OFF_EVERY_MS) return;
  const mine = atWork(person);
  const isLarger = (theirs: number) => theirs > (mine === 0 ? 0 : mine + 1);
  const old = [...held.since].filter(([, since]) => now - since >= HELD_AT_LEAST_MS).map(([one]) => one);
  const eligible = old.filter((one) => (isAtLimit ? one.person === person : isLarger(atWork(one.person))));
  const most = Math.max(0, ...eligible.map((one) => atWork(one.person)));
  const oldest = eligible.find((one) => atWork(one.person) === most);
  if (!oldest) return;
  held.brokenOffAt = now;
  held.since.delete(oldest);
  oldest.breakOff();
}

function ofWhoeverHasMost(answers: Iterable<Held>): Held[] {
  const bytesOf = (held: readonly Held[]) => held.reduce((sum, { bytes }) => sum + bytes, 0);
  let most: Held[] = [];
  for (const theirs of Map.groupBy(answers, ({ person }) => person).values()) if (bytesOf(theirs) > bytesOf(most)) most = theirs;
  return most;
}
