import { type Dispatcher, errors } from "undici";
import { LONG } from "#lib/async/in-turn-by-length.ts";
import { whenAborted } from "#lib/async/until-aborted.ts";
import { AppError, isAppError } from "#lib/contract/app-error.ts";
import { pieces } from "./pieces.ts";

type Headers = Record<string, string | string[] | undefined>;

export interface WholeAnswer {
  statusCode: number;
  headers: Headers;
  /** The body as UTF-8, and its size on the wire. */
  text: string;
  bytes: number;
}

/** What ends a request that isn't sent yet, earlier than the wait for its answer. */
export interface Sending {
  within: AbortSignal;
  /** Why it must not go out now. Asked right before, however long it has waited for credentials and for a connection. */
  held(): HeldBack | null;
  /** Called right before the request goes out. */
  begun(): void;
  /** Called when its answer has refused it, so that nothing is stored; it may go out once more. */
  refused(): void;
}

interface Receiving {
  signal: AbortSignal;
  maxBytes: number;
  /** Resolves once a long answer may go on arriving, with the function that tells its end; throws the signal's reason. */
  mayArrive?: (within: AbortSignal) => Promise<() => void>;
  sending?: Sending;
}

/** Thrown as it is in place of sending a request. */
export class HeldBack extends Error {}

const MIB = 1024 * 1024;
/** A Status is far shorter, unless a webhook chose its length; one with hundreds of a schema's problems has some 100 KiB. */
export const FAILURE_MAX_BYTES = MIB / 4;
/** For an answer that keeps arriving, but so slowly that it never ends. */
export const ANSWER_WITHIN_MS = 5 * 60_000;
/** For a long one, of which nothing has arrived for so long. */
const STALLS_AFTER_MS = 3_000;

/**
 * Sends a request and returns its whole answer; of a failed one, at most the first 256 KiB. undici's `request` makes each body a stream,
 * which for answers of a kilobyte takes a third of a rewrite's CPU (measured).
 * @throws what undici throws; HeldBack; the signal's reason as soon as it aborts, even while the request waits for a connection; AppError for a
 * longer answer than `maxBytes`, of which no more is read; BodyTimeoutError for one that takes longer than five minutes to arrive.
 */
export function wholeAnswer(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  { signal, maxBytes, mayArrive = async () => () => {}, sending }: Receiving,
): Promise<WholeAnswer> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    if (sending?.within.aborted) return reject(sending.within.reason);
    let controller: Dispatcher.DispatchController | null = null;
    let statusCode = 0;
    let headers: Headers = {};
    const chunks = pieces<Buffer>(Buffer.concat);
    let bytes = 0;
    let deadline: NodeJS.Timeout | undefined;
    const setDeadline = (receiving: Dispatcher.DispatchController) => {
      clearTimeout(deadline);
      deadline = setTimeout(() => {
        const error = new errors.BodyTimeoutError("The answer took longer than 5 minutes to arrive.");
        reject(error);
        receiving.abort(error);
      }, ANSWER_WITHIN_MS);
    };
    let isLong = false;
    let stopArriving = () => {};
    let stalling: NodeJS.Timeout | undefined;
    const waitToArrive = async (receiving: Dispatcher.DispatchController) => {
      const leaving = new AbortController();
      stopArriving = () => leaving.abort();
      receiving.pause();
      clearTimeout(deadline);
      const hasArrived = await mayArrive(leaving.signal);
      stopArriving = () => {
        clearTimeout(stalling);
        hasArrived();
      };
      if (leaving.signal.aborted) return hasArrived();
      // One that stalls goes on without a turn, and keeps nobody else from theirs.
      stalling = setTimeout(hasArrived, STALLS_AFTER_MS);
      setDeadline(receiving);
      receiving.resume();
    };
    // For as long as it waits for a connection: within-sockets.ts.
    const waiting = new AbortController();
    const leave = (reason: unknown) => {
      reject(reason);
      waiting.abort(reason);
    };
    const unlisten = whenAborted(signal, (reason) => {
      leave(reason);
      controller?.abort(asError(reason));
    });
    const stopSending = sending && whenAborted(sending.within, (reason) => !controller && leave(reason));
    const stopWaiting = () => {
      clearTimeout(deadline);
      unlisten();
      stopSending?.();
      stopArriving();
    };
    const answer = () => resolve({ statusCode, headers, bytes, text: chunks.take().toString("utf8") });
    const toSend: Dispatcher.RequestOptions = { ...options, signal: waiting.signal };
    dispatcher.dispatch(toSend, {
      onRequestStart(started) {
        controller = started;
        const ended = [sending?.within, signal].find((one) => one?.aborted);
        if (ended) return started.abort(asError(ended.reason));
        const held = sending?.held();
        if (held) return started.abort(held);
        sending?.begun();
      },
      onResponseStart(receiving, status, received) {
        [statusCode, headers] = [status, received];
        setDeadline(receiving);
      },
      onResponseData(receiving, chunk) {
        bytes += chunk.length;
        const isFailed = statusCode < 200 || statusCode >= 300;
        if (isFailed && bytes > FAILURE_MAX_BYTES) {
          answer();
          return receiving.abort(new Error("The beginning of a failure is enough."));
        }
        if (!isFailed && bytes > maxBytes) return receiving.abort(answerTooLarge(options, maxBytes));
        chunks.add(chunk);
        stalling?.refresh();
        if (isLong || isFailed || bytes < LONG) return;
        isLong = true;
        // If it ends before its turn, nobody waits for that any more.
        waitToArrive(receiving).catch(() => {});
      },
      onResponseEnd() {
        stopWaiting();
        answer();
      },
      onResponseError(_controller, error) {
        stopWaiting();
        reject(error);
      },
    });
  });
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}

/** For lists: no object in etcd is this large. */
export const ANSWER_MAX_BYTES = 32 * MIB;

/**
 * For one object. That is twice what etcd stores by default, and all that a request to an API server may have. An answer may be far longer
 * than what is stored: a schema's defaults and a conversion webhook fill in what its author likes.
 */
export const OBJECT_MAX_BYTES = 3 * MIB;

/**
 * The longest page of several objects; a longer one is halved. Parsing it takes at most a sixth of a second and some 20 MiB, even if it is
 * all keys of managedFields.
 */
export const PAGE_MAX_BYTES = 2 * MIB;

/** The error for an answer that crdshift stops reading, because it is longer than the request allows. */
export function answerTooLarge(request: { method?: string; path: string }, maxBytes: number): AppError {
  const what = `${request.method ?? "GET"} ${request.path.split("?")[0]}`;
  return new AppError("cluster_rejected", `The answer to ${what} is larger than ${maxBytes / MIB} MiB, so crdshift doesn't read it.`, {
    nextStep:
      "Make what it holds smaller, such as annotations, managedFields, and what a schema's defaults or a webhook fill in, then retry.",
    details: { maxBytes },
  });
}

export function isAnswerTooLarge(error: unknown): boolean {
  return isAppError(error) && error.details?.maxBytes !== undefined;
}

/** Asks for a page of `limit` items; for half as many, down to one, while the answer is too large. */
export async function halvedWhileTooLarge<Page>(limit: number, ask: (limit: number) => Promise<Page>): Promise<Page> {
  try {
    return await ask(limit);
  } catch (error) {
    if (limit <= 1 || !isAnswerTooLarge(error)) throw error;
    return halvedWhileTooLarge(Math.ceil(limit / 2), ask);
  }
}

/** The target size of a page. */
const TARGET_BYTES = 1.5 * MIB;
const MOST_ITEMS = 500;
const MOST_GROWTH = 4;

/** The limit for the next page, from 1 to 500 items, given the size of the last one. It grows at most fourfold. */
export function nextLimit(limit: number, { items, bytes }: { items: number; bytes: number }): number {
  const fitting = items === 0 ? limit : Math.floor((TARGET_BYTES * items) / bytes);
  return Math.max(1, Math.min(fitting, limit * MOST_GROWTH, MOST_ITEMS));
}
