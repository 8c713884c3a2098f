import { inTurn, noTurns, type Turns } from "#lib/async/in-turn.ts";
import { inTurnByLength, LONG, type NextTurn, TAKES_TIME } from "#lib/async/in-turn-by-length.ts";
import { untilAborted } from "#lib/async/until-aborted.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";

/** Three MiB at most, where its length is up to whoever writes objects (whole-answer.ts). */
const MOST_ARRIVING = { inAll: 32, ofPerson: 4 };
/**
 * Of texts that wait to be worked on, in characters. A person's arrive while theirs are no more than all leave free of what is shared, so there
 * is room for others'. Whoever has none waiting is kept out only by what waits in all.
 */
const MOST_WAITING = { shared: 32 * 1024 * 1024, inAll: 64 * 1024 * 1024 };

/** What a run records in a definition doesn't wait for objects that arrive slowly. */
export type Line = "definitions" | "others";

interface LongAnswers {
  arriving: Record<Line, Turns>;
  /** By person. */
  readonly waiting: Map<string, number>;
  /** Resolves once fewer wait. */
  fewer: PromiseWithResolvers<void>;
}

function longAnswers(): LongAnswers {
  const arriving = () => noTurns(MOST_ARRIVING.inAll, { leavesHalf: true });
  return processWide<LongAnswers>("long-answers", () => ({
    arriving: { definitions: arriving(), others: arriving() },
    waiting: new Map(),
    fewer: Promise.withResolvers<void>(),
  }));
}

/** Whether work on a text takes a turn of its own. */
export function isLong({ length }: string): boolean {
  return length >= TAKES_TIME;
}

/**
 * Resolves when it is a long answer's turn to arrive, with the function to call once it has, or has failed: hundreds of them at once would
 * wait for their work in memory.
 * @throws the signal's reason if it aborts before.
 */
export function turnToArrive(connection: Pick<Connection, "person">, line: Line, signal: AbortSignal): Promise<() => void> {
  const all = longAnswers();
  const person = connection.person();
  const { promise: begun, resolve: begin, reject } = Promise.withResolvers<() => void>();
  const { promise: arrived, resolve: end } = Promise.withResolvers<void>();
  inTurn(all.arriving[line], { person, mostAtWork: MOST_ARRIVING.ofPerson }, signal, async () => {
    while (!mayArrive(all, person)) await untilAborted(all.fewer.promise, signal);
    begin(end);
    await arrived;
  }).catch(reject);
  return begun;
}

function mayArrive({ waiting }: LongAnswers, person: string): boolean {
  const inAll = waiting.values().reduce((sum, length) => sum + length, 0);
  const ofPerson = waiting.get(person) ?? 0;
  return ofPerson === 0 ? inAll <= MOST_WAITING.inAll : ofPerson <= MOST_WAITING.shared - inAll;
}

/**
 * Does what takes as long as an answer: work on long ones is done one at a time, in turns (inTurnByLength). Many that arrive at once would
 * otherwise be one turn of the event loop, in which nobody else gets an answer for seconds. `work` must not ask the cluster. With
 * `mayTakeLonger`, so does work on a short text, which may be more than its length says.
 */
export async function inLongAnswersTurn<Result>(
  text: string,
  connection: Connection,
  signal: AbortSignal,
  work: (nextTurn: NextTurn) => Result | Promise<Result>,
  { line = "others", mayTakeLonger = false }: { line?: Line | undefined; mayTakeLonger?: boolean } = {},
): Promise<Result> {
  if (!isLong(text) && !mayTakeLonger) return work(async () => {});
  const person = connection.person();
  noteWaiting(person, text.length);
  try {
    const kind = line === "definitions" ? "definitions" : "answers";
    return await inTurnByLength({ kind, length: Math.max(text.length, TAKES_TIME), person }, signal, work);
  } finally {
    noteWaiting(person, -text.length);
  }
}

function noteWaiting(person: string, more: number): void {
  const all = longAnswers();
  const ofPerson = (all.waiting.get(person) ?? 0) + more;
  if (ofPerson > 0) all.waiting.set(person, ofPerson);
  else all.waiting.delete(person);
  if (more > 0) return;
  all.fewer.resolve();
  all.fewer = Promise.withResolvers();
}

/**
 * JSON.parse of an answer, for those of more than 16 KiB `parseLong`, in its turn. From 128 KiB on, what is then done with the value begins in
 * another turn of the event loop.
 */
export function parsedInTurn(
  text: string,
  connection: Connection,
  signal: AbortSignal,
  { line = "others", parseLong = JSON.parse }: { line?: Line | undefined; parseLong?: (text: string) => unknown } = {},
): Promise<unknown> {
  const parse = async (nextTurn: NextTurn) => {
    if (!isLong(text)) return JSON.parse(text);
    const json = parseLong(text);
    if (text.length >= LONG) await nextTurn();
    return json;
  };
  return inLongAnswersTurn<unknown>(text, connection, signal, parse, { line });
}
