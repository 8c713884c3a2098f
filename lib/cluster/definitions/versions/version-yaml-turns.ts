import { untilAborted } from "#lib/async/until-aborted.ts";
import { AppError } from "#lib/contract/app-error.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";

/** Each takes a core. */
const MOST_AT_WORK = 2;
const MOST_WAITING = 4;

/** A piece of work, and whose connection asks for it. */
interface Turn {
  readonly audience: string;
  begin(): void;
}

interface Turns {
  readonly atWork: Set<Turn>;
  /** Whoever is next comes first. */
  waiting: Turn[];
}

/**
 * Does the work when it is its turn: two at once, but one of each audience, so that nobody's many requests keep others from theirs.
 * @throws AppError too_many_requests if the audience has four waiting. Throws the signal's reason.
 */
export async function yamlTurn<Result>(audience: string, signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  const turns = processWide<Turns>("yaml-turns", () => ({ atWork: new Set(), waiting: [] }));
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const turn: Turn = { audience, begin };
  if (turns.waiting.filter((one) => one.audience === audience).length >= MOST_WAITING) throw tooMany();
  turns.waiting.push(turn);
  admit(turns);
  try {
    await untilAborted(begun, signal);
    return await work();
  } finally {
    const isOwn = (one: Turn) => one.audience === audience;
    const others = turns.waiting.filter((one) => !isOwn(one));
    // Whoever has had a turn is last.
    if (turns.atWork.delete(turn)) turns.waiting = [...others, ...turns.waiting.filter(isOwn)];
    else turns.waiting = turns.waiting.filter((one) => one !== turn);
    admit(turns);
  }
}

function admit({ atWork, waiting }: Turns): void {
  while (atWork.size < MOST_AT_WORK) {
    const busy = new Set([...atWork].map(({ audience }) => audience));
    const next = waiting.findIndex(({ audience }) => !busy.has(audience));
    const [turn] = next === -1 ? [] : waiting.splice(next, 1);
    if (!turn) return;
    atWork.add(turn);
    turn.begin();
  }
}

function tooMany(): AppError {
  return new AppError(
    "too_many_requests",
    `${MOST_WAITING} of your requests for a version's YAML are waiting already, which is the limit.`,
    {
      nextStep: "Try again once they have ended.",
    },
  );
}
