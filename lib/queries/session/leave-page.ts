import type { SessionEnd, SessionInfo } from "#lib/contract/session.ts";
import { serverNow } from "#lib/queries/live/server-contact.ts";

/** The path of the sign-in page. */
export const SIGN_IN_PATH = "/sign-in";

let isLeaving = false;

/** Replaces this page with another, which drops everything this one has read. */
export function leavePage(address: string): void {
  isLeaving = true;
  window.location.replace(address);
}

/** Reloads this page, as the current user must not see what it shows. */
export function reloadPage(): void {
  isLeaving = true;
  window.location.reload();
}

/**
 * Leaves for the sign-in page, which says why and returns here. Does so once, however many answers ask for it, and never from the
 * sign-in page itself. `ended` is the reason that the server knows.
 */
export function leaveToSignIn(ended: SessionEnd | null): void {
  const address = signInAddress(window.location, ended ?? endByClock());
  if (!isLeaving && address !== null) leavePage(address);
}

/** The sign-in address that returns to this page, with the reason the session ended if known; null on the sign-in page itself. */
export function signInAddress(
  { pathname, search, hash }: Pick<Location, "pathname" | "search" | "hash">,
  ended: SessionEnd | null = null,
): string | null {
  if (pathname === SIGN_IN_PATH) return null;
  // Servers see queries, so a sign-in link's secret must not be in one.
  const from = `${pathname}${search}${hash.startsWith("#launch=") ? "" : hash}`;
  const query = new URLSearchParams({ ...(from !== "/" && { from }), ...(ended && { ended }) });
  return query.size === 0 ? SIGN_IN_PATH : `${SIGN_IN_PATH}?${query}`;
}

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
