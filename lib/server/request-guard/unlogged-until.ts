import { processWide } from "#lib/process-wide/process-wide.ts";

/** Whoever reaches the port may ask as often as they like, and must not wash what others have done out of a log that is kept for a while. */
const MOST_IN_VAIN_A_SECOND = 20;

/** How many lines on requests without success were left out before this one; null if this one is, too. `now` is performance.now(). */
export function unloggedUntil(now: number): number | null {
  const lines = processWide("lines-in-vain", () => ({ since: Number.NEGATIVE_INFINITY, told: 0, unlogged: 0 }));
  if (now - lines.since >= 1_000) Object.assign(lines, { since: now, told: 0 });
  if (lines.told >= MOST_IN_VAIN_A_SECOND) {
    lines.unlogged += 1;
    return null;
  }
  lines.told += 1;
  const { unlogged } = lines;
  lines.unlogged = 0;
  return unlogged;
}
