/** Messages between the tabs of a browser profile about the sign-in they share. */
export type SessionNews = "signed-in" | "signed-out";

const NAME = "crdshift-session";

// One channel for both directions: it does not receive its own messages.
let shared: BroadcastChannel | null = null;

/** Tells every other tab. Without channels, they notice at their next request. */
export function tellTabs(news: SessionNews): void {
  channel()?.postMessage(news);
}

/** Listens to other tabs until the returned function is called. */
export function onSessionNews(listener: (news: SessionNews) => void): () => void {
  const hear = ({ data }: MessageEvent<SessionNews>) => listener(data);
  const heard = channel();
  heard?.addEventListener("message", hear);
  return () => heard?.removeEventListener("message", hear);
}

function channel(): BroadcastChannel | null {
  if (typeof BroadcastChannel === "undefined") return null;
  shared ??= new BroadcastChannel(NAME);
  return shared;
}
