import type { ServerEvent } from "#lib/contract/events.ts";

const HEARTBEAT_MS = 15_000;
/** What a slow reader may leave unread before it is cut off; it reconnects and reads everything anew. */
const MAX_BACKLOG = 10_000;

/** Server-sent events until the reader goes: `begin` gets the function that sends, and returns the one that ends it. */
export function eventStream(request: Request, begin: (send: (event: ServerEvent) => void) => () => void): Response {
  const encoder = new TextEncoder();
  let end = () => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const write = (text: string) => {
        if ((controller.desiredSize ?? 0) < -MAX_BACKLOG) return end();
        controller.enqueue(encoder.encode(text));
      };
      const heartbeat = setInterval(() => write(": still here\n\n"), HEARTBEAT_MS);
      const unsubscribe = begin(({ event, data }) => write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`));
      let ended = false;
      end = () => {
        if (ended) return;
        ended = true;
        clearInterval(heartbeat);
        unsubscribe();
        controller.close();
      };
      request.signal.addEventListener("abort", end, { once: true });
    },
    cancel: () => end(),
  });
  const headers = { "content-type": "text/event-stream", "cache-control": "no-store, no-transform", "x-accel-buffering": "no" };
  return new Response(body, { headers });
}
