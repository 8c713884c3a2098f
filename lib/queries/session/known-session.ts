import type { SessionEnd, SessionInfo } from "#lib/contract/session.ts";
import { serverNow } from "#lib/queries/live/server-contact.ts";

/** A cookie's time is whole seconds by this browser's clock, and the server's is known to two seconds. */
const TOLERANCE_MS = 3_000;

let known: Pick<SessionInfo, "until" | "tokenUntil"> | null = null;

/** Remembers the session that this page goes by, for when it is over. */
export function rememberSession(session: SessionInfo): void {
  if (session.signedIn) known = session;
}

/** Whose end has come, by the clock: browsers take a cookie away at its end, and the server then sees nothing that it could speak of. */
export function endByClock(now = serverNow()): SessionEnd | null {
  if (!known?.until || now < Date.parse(known.until) - TOLERANCE_MS) return null;
  return endsWithToken(known) ? "token-over" : "time-over";
}

/** Whether it is its token that ends a session. */
export function endsWithToken({ until, tokenUntil }: Pick<SessionInfo, "until" | "tokenUntil">): boolean {
  return until !== null && until === tokenUntil;
}
