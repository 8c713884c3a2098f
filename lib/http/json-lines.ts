import { AppError } from "#lib/contract/app-error.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";
import { endOfReading } from "#lib/sign-in/confirm-token.ts";
import { countOpen, type Most, type Open } from "./count-open.ts";
import { holdAnswer } from "./held-answers.ts";
import { json } from "./json.ts";
import { endAnswer } from "./open-answers.ts";
import { errorAnswer } from "./public-route.ts";
import type { RequestOwner } from "./signed-in-route.ts";
import { streamedAnswer } from "./until-read.ts";

const LOOK_EVERY_MS = 15_000;
/** Each asks the cluster for page after page. Readers who share crdshift's own credentials are many people. */
const MOST_LINE_STREAMS: Most = { ofPerson: 8, shared: 16 };
/** A reader who has a line and doesn't ask for the next one for so long has forgotten it. */
const UNREAD_FOR_MS = 5 * 60_000;
/** For the line that says so. */
const FAREWELL_MS = 10_000;
/** Such a line counts among the answers that wait for their readers. */
const LONG_BYTES = 64 * 1024;

/**
 * Answers with a line of JSON for each step if the request accepts ndjson, otherwise with only the last step. An error after the first
 * line becomes the last line, as the contract's error body. The work ends when the reader disconnects, or asks for no line for five
 * minutes, and fails with the reason from `endOf` once they may no longer read.
 * @throws what `steps` throws before the first step, or at any time without ndjson; AppError too_many_requests beyond 8 streams of lines of
 * one person; the signal's reason if the request has ended.
 */
export async function streamJsonLines<Step>(
  request: Request,
  owner: RequestOwner,
  steps: (signal: AbortSignal) => AsyncGenerator<Step>,
  endOf: (request: Request) => Promise<unknown> = endOfReading,
): Promise<Response> {
  request.signal.throwIfAborted();
  const releasePlace = acceptsLines(request) ? countOpen(lineStreams(), owner, MOST_LINE_STREAMS, tooManyLineStreams) : () => {};
  const leaving = new AbortController();
  const left = AbortSignal.any([request.signal, leaving.signal]);
  const generator = untilEnd(() => endOf(request), steps, { signal: left, release: releasePlace });
  // Without this, a generator that is no longer read would never end.
  left.addEventListener("abort", () => void generator.return(undefined).catch(() => {}), { once: true });
  if (!acceptsLines(request)) {
    let last: Step | undefined;
    for await (const step of generator) last = step;
    return json(last);
  }
  // If the reader has disconnected, there is no one to send the error to.
  const failure = (error: unknown) => (left.aborted ? null : errorAnswer(error, request).body);
  const lines = linesOf(await generator.next(), generator, failure);
  let unread: NodeJS.Timeout | undefined;
  let releaseMemory = () => {};
  const taken = () => {
    clearTimeout(unread);
    releaseMemory();
  };
  left.addEventListener("abort", taken, { once: true });
  const awaitReader = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    if (left.aborted) return;
    unread = setTimeout(() => {
      controller.enqueue(lineOf(failure(unreadForLong())));
      controller.close();
      leaving.abort(new Error("the reader asks for no more lines"));
      setTimeout(() => endAnswer(request), FAREWELL_MS).unref();
    }, UNREAD_FOR_MS);
  };
  const hold = (bytes: number, controller: ReadableStreamDefaultController<Uint8Array>) => {
    const breakOff = () => {
      controller.error(new Error("Nobody reads this line."));
      leaving.abort(new Error("the reader is too slow"));
      endAnswer(request);
    };
    releaseMemory = holdAnswer({ person: owner.person, bytes, holdsTurn: false, read: () => 0, breakOff });
  };
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    taken();
    const { done, value } = await lines.next();
    if (done) return controller.close();
    controller.enqueue(value);
    if (value.length > LONG_BYTES) hold(value.length, controller);
    awaitReader(controller);
  };
  const cancel = () => leaving.abort(new Error("the reader left"));
  // The stream itself keeps nothing: it would ask for the end while the last line is unread, which would then count nowhere.
  const body = new ReadableStream<Uint8Array>({ start: awaitReader, pull, cancel }, { highWaterMark: 0 });
  return streamedAnswer(body, { "content-type": "application/x-ndjson", "cache-control": "no-store, no-transform" });
}

function lineStreams(): { open: Open } {
  return processWide("line-streams", () => ({ open: new Map() }));
}

function tooManyLineStreams(most: number): AppError {
  return new AppError("too_many_requests", `${most} of your requests stream their progress, which is the limit.`, {
    nextStep: "Wait until one ends, or close a page that shows one, then try again.",
  });
}

function unreadForLong(): AppError {
  return new AppError("request_refused", "Nobody has read these lines for 5 minutes, so the work has ended.", {
    nextStep: "Ask again, and read each line as it comes.",
  });
}

/** The steps as lines; if they fail, the last line is the failure. */
async function* linesOf<Step>(
  first: IteratorResult<Step>,
  rest: AsyncGenerator<Step>,
  failure: (error: unknown) => unknown,
): AsyncGenerator<Uint8Array> {
  try {
    for (let step = first; !step.done; step = await rest.next()) yield lineOf(step.value);
  } catch (error) {
    yield lineOf(failure(error));
  }
}

/** The line of a step, for as long as somebody still has it: all who watch one dry run get the same steps, of up to a megabyte. */
const linesOfSteps = new WeakMap<object, WeakRef<Uint8Array>>();

function lineOf(step: unknown): Uint8Array {
  const shared = typeof step === "object" && step !== null ? step : null;
  const known = shared && linesOfSteps.get(shared)?.deref();
  if (known) return known;
  const line = new TextEncoder().encode(`${JSON.stringify(step)}\n`);
  if (shared) linesOfSteps.set(shared, new WeakRef(line));
  return line;
}

/** The steps, until `end` gives a reason; it is asked four times a minute. Once they have ended, whichever way, they count no more. */
async function* untilEnd<Step>(
  end: () => Promise<unknown>,
  steps: (signal: AbortSignal) => AsyncGenerator<Step>,
  { signal, release }: { signal: AbortSignal; release: () => void },
): AsyncGenerator<Step> {
  const ending = new AbortController();
  const looking = setInterval(async () => {
    const reason = await end();
    if (reason === null) return;
    clearInterval(looking);
    ending.abort(reason);
  }, LOOK_EVERY_MS);
  try {
    yield* steps(AbortSignal.any([signal, ending.signal]));
  } finally {
    clearInterval(looking);
    release();
  }
}

/** Whether the request asks for lines of JSON. */
export function acceptsLines(request: Request): boolean {
  return request.headers.get("accept")?.includes("application/x-ndjson") ?? false;
}
