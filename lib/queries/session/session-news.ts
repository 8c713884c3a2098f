/** What a tab tells the others of its browser profile: what it did with the sign-in that they share. */
export type SessionNews = "signed-in" | "signed-out";

const NAME = "crdshift-session";

// One for both directions: a channel does not hear itself.
let shared: BroadcastChannel | null = null;

/** Tells every other tab. Where there are no channels they notice when they ask next. */
export function tellTabs(news: SessionNews): void {
  channel()?.postMessage(news);
}

/** Told what other tabs do, until the returned function is called. */
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
