import type { ServerEvent } from "#lib/contract/events.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";

const HEARTBEAT_MS = 15_000;
/** Unread chunks after which a slow reader is disconnected; it reconnects and reads everything again. */
const MAX_BACKLOG = 10_000;

/**
 * Server-sent events until the reader disconnects or loses access. `begin` gets the function that sends events, and returns the one
 * that unsubscribes. Each heartbeat checks `mayRead`.
 */
export function eventStream(
  request: Request,
  mayRead: () => Promise<boolean>,
  begin: (send: (event: ServerEvent) => void) => () => void,
): Response {
  const encoder = new TextEncoder();
  const ending = new AbortController();
  const ended = AbortSignal.any([request.signal, ending.signal]);
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const write = (text: string) => {
        if (ended.aborted) return;
        if ((controller.desiredSize ?? 0) < -MAX_BACKLOG) ending.abort();
        else controller.enqueue(encoder.encode(text));
      };
      const heartbeat = setInterval(async () => {
        if (await mayRead()) write(": still here\n\n");
        else ending.abort();
      }, HEARTBEAT_MS);
      eventStreamClients().open += 1;
      const unsubscribe = begin(({ event, data }) => write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`));
      const end = () => {
        eventStreamClients().open -= 1;
        clearInterval(heartbeat);
        unsubscribe();
        closeQuietly(controller);
      };
      if (ended.aborted) end();
      else ended.addEventListener("abort", end, { once: true });
    },
    cancel: () => ending.abort(),
  });
  const headers = { "content-type": "text/event-stream", "cache-control": "no-store, no-transform", "x-accel-buffering": "no" };
  return new Response(body, { headers });
}

// A cancelled stream counts as closed already, and closing it again throws.
function closeQuietly(controller: ReadableStreamDefaultController): void {
  try {
    controller.close();
  } catch {
    // It is already closed.
  }
}

/** The number of event streams open in this process. */
export function eventStreamClients(): { open: number } {
  return processWide("event-stream-clients", () => ({ open: 0 }));
}
