import { setImmediate } from "node:timers/promises";
import { processWide } from "#lib/process-wide/process-wide.ts";

const LONGEST_MS = 10;

/**
 * What there may be much of at once, and for whom. No kind of work keeps another waiting for longer than a turn, nor does one person's keep
 * another's of that kind.
 */
interface Whose {
  kind: "lists" | "changes" | "askers";
  person: string;
}

/** What begins each waiting piece of work, oldest first, by person. Whoever has had a turn last is last. */
type Waiting = Map<string, Set<() => void>>;

interface ShortTurns {
  /** When work began in this turn of the event loop; null if none has. */
  begunAt: number | null;
  /** Whichever kind has had its turn last is last. */
  readonly waiting: Map<Whose["kind"], Waiting>;
}

/**
 * Does the work in this turn of the event loop, or in one of the next: all such work of the process together takes 10 ms of each. `hasTime`
 * says whether work of many steps may go on; for its rest, it has to ask again.
 */
export function inShortTurn<Result>({ kind, person }: Whose, work: (hasTime: () => boolean) => Result): Promise<Result> {
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
    const people: Waiting = turns.waiting.get(kind) ?? new Map();
    turns.waiting.set(kind, people.set(person, (people.get(person) ?? new Set()).add(begin)));
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
  for (const [kind, people] of [...turns.waiting]) {
    turns.waiting.delete(kind);
    turns.waiting.set(kind, people);
    for (const [person, pieces] of people) {
      if (!hasTime(turns)) return;
      const [begin] = pieces;
      people.delete(person);
      if (begin) pieces.delete(begin);
      // The loop comes to it again after all others.
      if (pieces.size > 0) people.set(person, pieces);
      begin?.();
    }
    turns.waiting.delete(kind);
  }
}
