import type { SessionEnd } from "#lib/contract/session.ts";

/** The path of the sign-in page. */
export const SIGN_IN_PATH = "/sign-in";

/** The sign-in address that returns to this page, with the reason the session ended if known; null on the sign-in page itself. */
export function signInAddress(
  { pathname, search, hash }: Pick<Location, "pathname" | "search" | "hash">,
  ended: SessionEnd | null = null,
): string | null {
  if (pathname === SIGN_IN_PATH) return null;
  // Servers see queries, so a launch link's secret must not be in one.
  const from = `${pathname}${search}${hash.startsWith("#launch=") ? "" : hash}`;
  const query = new URLSearchParams({ ...(from !== "/" && { from }), ...(ended && { ended }) });
  return query.size === 0 ? SIGN_IN_PATH : `${SIGN_IN_PATH}?${query}`;
}
