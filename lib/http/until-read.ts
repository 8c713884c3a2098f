import { holdAnswer } from "./held-answers.ts";
import { makeAnswer } from "./make-answer.ts";
import { endAnswer } from "./open-answers.ts";

/** Of a longer answer, each piece waits until the one before it is read. */
const PIECE_BYTES = 64 * 1024;
/** Whoever takes no piece for so long has forgotten the answer. */
const UNREAD_FOR_MS = 60_000;

/** Answers that come piece by piece; whoever makes them limits how many one person has open. */
const streams = new WeakSet<Response>();

/** An answer that is a stream, so that no request has to wait for its end. */
export function streamedAnswer(body: ReadableStream<Uint8Array>, headers: Record<string, string>): Response {
  const response = new Response(body, { headers });
  streams.add(response);
  return response;
}

/**
 * The same answer, once it is made, and when it takes no more memory: once its reader has all of it, has left, or takes nothing for a minute,
 * which breaks it off, or once others need the memory. That is at once for a short one, and for a stream, whose long lines count for
 * themselves.
 */
export async function untilRead(
  response: Response,
  owner: { person: string; isShared: boolean },
  request: Pick<Request, "signal" | "headers">,
): Promise<{ answer: Response; read: Promise<void> }> {
  if (streams.has(response)) return { answer: response, read: Promise.resolve() };
  const { status, headers, body } = response;
  if (body === null) return { answer: response, read: Promise.resolve() };
  return makeAnswer(body, owner, request.signal, (bytes) => {
    if (bytes.length <= PIECE_BYTES) return { answer: new Response(bytes, { status, headers }), read: Promise.resolve() };
    const { promise: read, resolve: end } = Promise.withResolvers<void>();
    return { answer: new Response(inPieces(bytes, { ...owner, request, end }), { status, headers }), read };
  });
}

interface Reading {
  person: string;
  request: Pick<Request, "signal" | "headers">;
  end: () => void;
}

function inPieces(whole: Uint8Array, { person, request, end }: Reading): ReadableStream<Uint8Array> {
  const { signal } = request;
  // Nothing else may refer to the whole: what this returns lives for as long as the connection.
  let rest = whole;
  const bytes = whole.length;
  let release = () => {};
  let unread: NodeJS.Timeout | undefined;
  let breakOff = () => {};
  const awaitReader = () => {
    clearTimeout(unread);
    unread = setTimeout(breakOff, UNREAD_FOR_MS);
  };
  const forget = () => {
    clearTimeout(unread);
    rest = new Uint8Array();
    release();
    end();
  };
  const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    breakOff = () => {
      forget();
      // Does nothing to one that is closed.
      controller.error(new Error("Nobody reads this answer any more."));
      endAnswer(request);
    };
    if (signal.aborted) return breakOff();
    release = holdAnswer({ person, bytes, holdsTurn: true, read: () => bytes - rest.length, breakOff });
    signal.addEventListener("abort", breakOff, { once: true });
    awaitReader();
  };
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    if (rest.length === 0) {
      forget();
      return controller.close();
    }
    // A copy, because a part would keep the whole in memory.
    controller.enqueue(rest.slice(0, PIECE_BYTES));
    rest = rest.subarray(PIECE_BYTES);
    awaitReader();
  };
  return new ReadableStream({ start, pull, cancel: forget }, { highWaterMark: 0 });
}
