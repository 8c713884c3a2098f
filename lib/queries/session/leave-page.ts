import type { SessionEnd } from "#lib/contract/session.ts";
import { endByClock } from "./known-session.ts";

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
