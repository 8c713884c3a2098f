import { AppError } from "#lib/contract/app-error.ts";
import type { ServerEvent } from "#lib/contract/events.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";
import { countAll, countOpen, type Most, type Open } from "./count-open.ts";
import { endAnswer } from "./open-answers.ts";
import type { RequestOwner } from "./signed-in-route.ts";
import { type Message, openUnreadEvents } from "./unread-events.ts";
import { streamedAnswer } from "./until-read.ts";

const HEARTBEAT_MS = 15_000;
/** A browser needs one, or one for each tab. Readers who share crdshift's own credentials are many people. */
const MOST_STREAMS: Most = { ofPerson: 32, shared: 1_000 };

/**
 * Server-sent events until the reader disconnects or loses access. `begin` gets the function that sends events, and returns the one
 * that unsubscribes. Each heartbeat checks `mayRead`.
 * @throws AppError too_many_requests beyond 32 streams of one person.
 */
export function eventStream(
  request: Request,
  owner: RequestOwner,
  mayRead: () => Promise<boolean>,
  begin: (send: (event: ServerEvent) => void) => () => void,
): Response {
  const release = countOpen(eventStreams(), owner, MOST_STREAMS, tooManyEventStreams);
  const ending = new AbortController();
  const ended = AbortSignal.any([request.signal, ending.signal]);
  const unread = openUnreadEvents(() => {
    ending.abort();
    endAnswer(request);
  });
  let deliver = () => {};
  let isAskedFor = false;
  const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    deliver = () => {
      const bytes = isAskedFor ? unread.take() : null;
      if (bytes === null) return;
      isAskedFor = false;
      controller.enqueue(bytes);
    };
    const write = (message: Message) => {
      if (ended.aborted) return;
      unread.add(message);
      if (!ended.aborted) deliver();
    };
    const heartbeat = setInterval(async () => {
      if (await mayRead()) write(messageOf(": still here\n\n"));
      else ending.abort();
    }, HEARTBEAT_MS);
    const unsubscribe = begin((event) => write(eventMessage(event)));
    const end = () => {
      release();
      clearInterval(heartbeat);
      unsubscribe();
      unread.close();
      closeQuietly(controller);
    };
    if (ended.aborted) end();
    else ended.addEventListener("abort", end, { once: true });
  };
  const pull = () => {
    isAskedFor = true;
    deliver();
  };
  // The stream itself keeps nothing: what is unread would be counted nowhere.
  const body = new ReadableStream<Uint8Array>({ start, pull, cancel: () => ending.abort() }, { highWaterMark: 0 });
  const headers = { "content-type": "text/event-stream", "cache-control": "no-store, no-transform", "x-accel-buffering": "no" };
  return streamedAnswer(body, headers);
}

/** An event goes to all who watch a cluster: it is serialized for the first, and the others share the bytes. */
const messages = new WeakMap<ServerEvent, Message>();

function eventMessage(event: ServerEvent): Message {
  const known = messages.get(event);
  if (known) return known;
  const message = messageOf(`event: ${event.event}\ndata: ${JSON.stringify(event.data)}\n\n`);
  messages.set(event, message);
  return message;
}

function messageOf(text: string): Message {
  return { bytes: new TextEncoder().encode(text), waiting: 0 };
}

// A cancelled stream counts as closed already, and closing it again throws.
function closeQuietly(controller: ReadableStreamDefaultController): void {
  try {
    controller.close();
  } catch {
    // It is already closed.
  }
}

function tooManyEventStreams(most: number): AppError {
  return new AppError("too_many_requests", `You have ${most} pages open, which is the limit.`, { nextStep: "Close some, then try again." });
}

function eventStreams(): { open: Open } {
  return processWide("event-streams", () => ({ open: new Map() }));
}

/** The number of event streams open in this process. */
export function countEventStreams(): number {
  return countAll(eventStreams().open);
}
