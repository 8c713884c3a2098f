import { setImmediate } from "node:timers/promises";
import { processWide } from "#lib/process-wide/process-wide.ts";

const LONGEST_MS = 10;

/** What there may be much of at once. No kind of work keeps another waiting for longer than a turn. */
type Kind = "lists" | "changes" | "askers";

interface ShortTurns {
  /** When work began in this turn of the event loop; null if none has. */
  begunAt: number | null;
  /** What begins each waiting piece of work, oldest first. Whichever kind has had its turn last is last. */
  readonly waiting: Map<Kind, Set<() => void>>;
}

/**
 * Does the work in this turn of the event loop, or in one of the next: all such work of the process together takes 10 ms of each. `hasTime`
 * says whether work of many steps may go on; for its rest, it has to ask again.
 */
export function inShortTurn<Result>(kind: Kind, work: (hasTime: () => boolean) => Result): Promise<Result> {
  // Bundles share them: each with its own would take 10 ms.
  const turns = processWide<ShortTurns>("short-turns", () => ({ begunAt: null, waiting: new Map() }));
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const begin = () => {
    try {
      resolve(work(() => hasTime(turns)));
    } catch (error) {
      reject(error);
    }
  };
  if (turns.waiting.size > 0 || !hasTime(turns)) {
    const waiting = turns.waiting.get(kind) ?? new Set();
    turns.waiting.set(kind, waiting.add(begin));
    return promise;
  }
  if (turns.begunAt === null) beginTurn(turns);
  begin();
  return promise;
}

function hasTime({ begunAt }: ShortTurns): boolean {
  return begunAt === null || performance.now() - begunAt < LONGEST_MS;
}

function beginTurn(turns: ShortTurns): void {
  turns.begunAt = performance.now();
  void setImmediate().then(() => {
    turns.begunAt = null;
    if (turns.waiting.size === 0) return;
    beginTurn(turns);
    beginWaiting(turns);
  });
}

function beginWaiting(turns: ShortTurns): void {
  for (const [kind, waiting] of [...turns.waiting]) {
    turns.waiting.delete(kind);
    turns.waiting.set(kind, waiting);
    for (const begin of waiting) {
      if (!hasTime(turns)) return;
      waiting.delete(begin);
      begin();
    }
    turns.waiting.delete(kind);
  }
}
