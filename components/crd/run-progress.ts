import type { Run } from "#lib/contract/rewrite/run.ts";

/** A run's progress. Never exceeds the total, and reaches 100% only when nothing remains. */
export function runProgress({ counts }: Pick<Run, "counts">): { done: number; total: number | null; percent: number | null } {
  const ended = counts.rewritten + counts.alreadyCurrent + counts.gone + counts.rejected;
  if (counts.total === null) return { done: ended, total: null, percent: null };
  const done = Math.min(ended, counts.total);
  return { done, total: counts.total, percent: counts.total === 0 ? 100 : Math.floor((done / counts.total) * 100) };
}
