import type { SessionEnd, SessionInfo } from "#lib/contract/session.ts";
import { serverNow } from "#lib/queries/live/server-contact.ts";

/** Cookies expire in whole seconds of the browser's clock, and the server's clock is known to two seconds. */
const TOLERANCE_MS = 3_000;

let known: Pick<SessionInfo, "until" | "tokenUntil"> | null = null;

/** Remembers this page's session, to explain its end. */
export function rememberSession(session: SessionInfo): void {
  if (session.signedIn) known = session;
}

/** Why the session is over by the clock; null if it is not. Browsers drop an expired cookie, so the server can't tell. */
export function endByClock(now = serverNow()): SessionEnd | null {
  if (!known?.until || now < Date.parse(known.until) - TOLERANCE_MS) return null;
  return endsWithToken(known) ? "token-over" : "time-over";
}

/** Whether the session ends with its token. */
export function endsWithToken({ until, tokenUntil }: Pick<SessionInfo, "until" | "tokenUntil">): boolean {
  return until !== null && until === tokenUntil;
}
