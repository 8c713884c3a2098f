import { untilAborted } from "./until-aborted.ts";

/** Work that many people ask for, of which at most `inAll` pieces are done at once. */
export interface Turns {
  readonly inAll: number;
  /** Nobody has more at work than they leave free, so however much a few hold, there is a place for others. */
  readonly leavesHalf: boolean;
  atWork: number;
  /** By person. Whoever has had a turn last is last. */
  readonly lines: Map<string, Line>;
}

interface Line {
  atWork: number;
  readonly mostAtWork: number;
  /** What begins each waiting piece of work, oldest first. */
  readonly waiting: Set<() => void>;
}

/** Turns that nobody has asked for yet. */
export function noTurns(inAll: number, { leavesHalf = false } = {}): Turns {
  return { inAll, leavesHalf, atWork: 0, lines: new Map() };
}

/** Who asks, how much of theirs may be at work, and, if it matters, how much may wait, with the error for what is beyond that. */
export interface Place {
  person: string;
  mostAtWork: number;
  waiting?: { most: number; tooMany: () => Error };
}

/**
 * Does the work when it is its turn. Nobody's many requests keep others from theirs.
 * @throws what `tooMany` gives if the person has too much waiting already, and the signal's reason if it aborts before the turn.
 */
export async function inTurn<Result>(
  turns: Turns,
  { person, mostAtWork, waiting }: Place,
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  const line = turns.lines.get(person) ?? { atWork: 0, mostAtWork, waiting: new Set() };
  if (waiting && line.waiting.size >= waiting.most) throw waiting.tooMany();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  line.waiting.add(begin);
  turns.lines.set(person, line);
  beginNext(turns);
  try {
    await untilAborted(begun, signal);
    return await work();
  } finally {
    const hasBegun = !line.waiting.delete(begin);
    if (hasBegun) {
      line.atWork -= 1;
      turns.atWork -= 1;
      turns.lines.delete(person);
      turns.lines.set(person, line);
    }
    if (line.atWork === 0 && line.waiting.size === 0) turns.lines.delete(person);
    beginNext(turns);
  }
}

/** Each person begins one piece of work before anyone begins two: otherwise, one whose work takes long would get each place that frees. */
function beginNext(turns: Turns): void {
  while (turns.atWork < turns.inAll) {
    const free = turns.leavesHalf ? turns.inAll - turns.atWork : Number.POSITIVE_INFINITY;
    const next = turns.lines.entries().find(([, line]) => line.waiting.size > 0 && line.atWork < Math.min(line.mostAtWork, free));
    if (next === undefined) return;
    const [person, line] = next;
    const [begin] = line.waiting;
    if (begin === undefined) return;
    line.waiting.delete(begin);
    line.atWork += 1;
    turns.atWork += 1;
    turns.lines.delete(person);
    turns.lines.set(person, line);
    begin();
  }
}
