import type { EventData, ServerEvent } from "#lib/contract/events.ts";
import { openEventSource, type StreamState } from "./event-source.ts";

/** Messages between the tabs of one browser profile about one cluster. */
type TabMessage =
  | { kind: "hello" }
  | { kind: "leader"; state: StreamState; status: EventData<"status"> | null; ready: EventData<"ready"> | null }
  | { kind: "state"; state: StreamState }
  | { kind: "event"; event: ServerEvent };

interface Listener {
  event: (event: ServerEvent) => void;
  state: (state: StreamState) => void;
}

/**
 * Gives this tab a cluster's events while it is visible. HTTP/1.1 allows six connections per host, so the visible tabs of a
 * browser profile share one stream: the tab with the lock opens it and forwards everything. Returns a function to stop.
 */
export function shareEventStream(cluster: string, url: string, listener: Listener): () => void {
  let leave: (() => void) | null = null;
  const follow = () => {
    if (document.visibilityState === "visible") leave ??= join(cluster, url, listener);
    else {
      leave?.();
      leave = null;
    }
  };
  follow();
  document.addEventListener("visibilitychange", follow);
  return () => {
    document.removeEventListener("visibilitychange", follow);
    leave?.();
  };
}

function join(cluster: string, url: string, listener: Listener): () => void {
  // Locks need a secure context; without one, each visible tab has its own stream.
  if (!navigator.locks || typeof BroadcastChannel === "undefined") return openEventSource(url, listener);

  const name = `crdshift-events:${cluster}`;
  const channel = new BroadcastChannel(name);
  const leaving = new AbortController();
  const say = (message: TabMessage) => {
    if (!leaving.signal.aborted) channel.postMessage(message);
  };

  listener.state("connecting");
  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => hear(data, listener);
  say({ kind: "hello" });
  navigator.locks.request(name, { signal: leaving.signal }, () => lead(url, channel, say, listener, leaving.signal)).catch(() => {});
  return () => {
    leaving.abort();
    channel.close();
  };
}

function hear(message: TabMessage, listener: Listener): void {
  switch (message.kind) {
    case "leader":
      listener.state(message.state);
      if (message.ready) listener.event({ event: "ready", data: message.ready });
      if (message.status) listener.event({ event: "status", data: message.status });
      break;
    case "state":
      listener.state(message.state);
      break;
    case "event":
      listener.event(message.event);
      break;
    case "hello":
      break;
    default:
      message satisfies never;
  }
}

/** Runs the stream for all tabs until this one leaves. */
function lead(
  url: string,
  channel: BroadcastChannel,
  say: (message: TabMessage) => void,
  listener: Listener,
  leaving: AbortSignal,
): Promise<void> {
  if (leaving.aborted) return Promise.resolve();
  let state: StreamState = "connecting";
  let ready: EventData<"ready"> | null = null;
  let status: EventData<"status"> | null = null;
  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => {
    if (data.kind === "hello") say({ kind: "leader", state, status, ready: state === "open" ? ready : null });
  };
  const close = openEventSource(url, {
    event(event) {
      if (event.event === "ready") ready = event.data;
      if (event.event === "status") status = event.data;
      listener.event(event);
      say({ kind: "event", event });
    },
    state(next) {
      state = next;
      listener.state(next);
      say({ kind: "state", state: next });
    },
  });
  return new Promise((resolve) => {
    leaving.addEventListener("abort", () => {
      close();
      resolve();
    });
  });
}
