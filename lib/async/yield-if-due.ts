import { setImmediate } from "node:timers/promises";
import { processWide } from "#lib/process-wide/process-wide.ts";

const LONGEST_MS = 10;

/**
 * Lets everyone else have their turn if this kind of work began 10 ms ago or earlier in this turn of the event loop, which takes as long as
 * the last piece besides. For work of many short pieces, of which one is done at a time: with a turn for each piece, whoever does long ones
 * beside it would slow it down as many times.
 */
export async function yieldIfDue(kind: string): Promise<void> {
  const begunAt = processWide("yields", () => new Map<string, number>());
  for (;;) {
    const at = begunAt.get(kind);
    if (at !== undefined && performance.now() - at < LONGEST_MS) return;
    if (at === undefined) {
      begunAt.set(kind, performance.now());
      void setImmediate().then(() => begunAt.delete(kind));
      return;
    }
    await setImmediate();
  }
}
