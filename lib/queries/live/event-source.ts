import { type EventName, eventSchemas, type ServerEvent } from "#lib/contract/events.ts";
import { serverContact, subscribeServerContact } from "./server-contact.ts";

/** How long a stream may take to open before polling begins. */
const OPEN_WITHIN_MS = 5_000;
const RETRY_FIRST_MS = 1_000;
const RETRY_MOST_MS = 30_000;

/** Whether events arrive: first `connecting`, then `open`, or `lost` until it opens again. */
export type StreamState = "connecting" | "open" | "lost";

/**
 * Keeps one stream of server-sent events open, with backoff and jitter; returns a function to close it. If the server stops
 * answering, it drops the stream, which may never end by itself, and reopens it once the server answers.
 */
export function openEventSource(url: string, on: { event: (event: ServerEvent) => void; state: (state: StreamState) => void }): () => void {
  let source: EventSource | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let open = false;

  const lose = () => {
    open = false;
    source?.close();
    clearTimeout(timer);
    on.state("lost");
    const ceilingMs = Math.min(RETRY_MOST_MS, RETRY_FIRST_MS * 2 ** failures);
    failures += 1;
    timer = setTimeout(connect, ceilingMs * (0.5 + Math.random() / 2));
  };

  const connect = () => {
    source = new EventSource(url);
    timer = setTimeout(lose, OPEN_WITHIN_MS);
    // The browser would retry too, but every tab at the same fixed pace.
    source.onerror = lose;
    for (const name of Object.keys(eventSchemas) as EventName[]) {
      source.addEventListener(name, (message: MessageEvent<string>) => {
        const event = parseEvent(name, message.data);
        if (!event) return;
        if (name === "ready") {
          clearTimeout(timer);
          failures = 0;
          open = true;
          on.state("open");
        }
        on.event(event);
      });
    }
  };

  const unsubscribe = subscribeServerContact(() => {
    if (serverContact().lostSince !== null) return lose();
    if (open) return;
    clearTimeout(timer);
    source?.close();
    failures = 0;
    connect();
  });

  on.state("connecting");
  connect();
  return () => {
    unsubscribe();
    clearTimeout(timer);
    source?.close();
  };
}

function parseEvent(name: EventName, text: string): ServerEvent | null {
  const data = eventSchemas[name].safeParse(JSON.parse(text));
  // The schema looked up by name parses that name's data.
  return data.success ? ({ event: name, data: data.data } as ServerEvent) : null;
}
