import { processWide } from "#lib/process-wide/process-wide.ts";

/** Of all answers that wait for their readers, in bytes. */
const MOST_HELD = 96 * 1024 * 1024;

interface Held {
  person: string;
  bytes: number;
  breakOff: () => void;
}

/**
 * Counts a long answer as in memory until the returned function is called. While all together are too long, the oldest one of whoever has
 * the most is broken off: many people who read slowly must not use up the memory, nor keep others from reading.
 */
export function holdAnswer(held: Held): () => void {
  const answers = processWide("held-answers", () => new Set<Held>());
  answers.add(held);
  let bytes = answers.values().reduce((sum, one) => sum + one.bytes, 0);
  while (bytes > MOST_HELD && answers.size > 1) {
    const [oldest] = ofWhoeverHasMost(answers);
    if (!oldest) break;
    answers.delete(oldest);
    bytes -= oldest.bytes;
    oldest.breakOff();
  }
  return () => void answers.delete(held);
}

function ofWhoeverHasMost(answers: ReadonlySet<Held>): Held[] {
  const bytesOf = (held: readonly Held[]) => held.reduce((sum, { bytes }) => sum + bytes, 0);
  let most: Held[] = [];
  for (const theirs of Map.groupBy(answers, ({ person }) => person).values()) if (bytesOf(theirs) > bytesOf(most)) most = theirs;
  return most;
}
