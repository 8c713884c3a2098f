import { AppError } from "#lib/contract/app-error.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";

/** Whose turn it is: what one person's requests have in common, and whether many people share it. */
export interface Asker {
  person: string;
  isShared: boolean;
}

/** A page makes up to a dozen requests at once, and a browser opens several pages. */
const MOST = { ofPerson: { atWork: 16, waiting: 240 }, shared: { atWork: 64, waiting: 1_000 } };

interface Line {
  atWork: number;
  /** What begins each waiting request, oldest first. */
  waiting: Set<() => void>;
}

function lines(): Map<string, Line> {
  return processWide("request-lines", () => new Map());
}

/**
 * Works for one person's request as soon as fewer than 16 of theirs are at work. The turn ends when `work` does, which for a stream is
 * its beginning.
 * @throws AppError too_many_requests if 240 are waiting already, and the signal's reason if it aborts before the turn.
 */
export async function inTurn<Answer>({ person, isShared }: Asker, signal: AbortSignal, work: () => Promise<Answer>): Promise<Answer> {
  const all = lines();
  const most = isShared ? MOST.shared : MOST.ofPerson;
  const line = all.get(person) ?? { atWork: 0, waiting: new Set() };
  if (line.atWork < most.atWork) line.atWork += 1;
  else if (line.waiting.size < most.waiting) await turn(line, signal);
  else {
    throw new AppError("too_many_requests", `${most.atWork + most.waiting} of your requests wait for an answer, which is the limit.`, {
      nextStep: "Wait for some of them, then try again.",
    });
  }
  all.set(person, line);
  try {
    return await work();
  } finally {
    const [next] = line.waiting;
    if (next) next();
    else line.atWork -= 1;
    if (line.atWork === 0) all.delete(person);
  }
}

/** Resolves once a request that has ended hands its turn on. */
function turn({ waiting }: Line, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const leave = () => {
      waiting.delete(begin);
      reject(signal.reason);
    };
    const begin = () => {
      waiting.delete(begin);
      signal.removeEventListener("abort", leave);
      resolve();
    };
    waiting.add(begin);
    signal.addEventListener("abort", leave, { once: true });
  });
}
