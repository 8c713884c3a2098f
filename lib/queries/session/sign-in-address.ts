import type { SessionEnd } from "#lib/contract/session.ts";

/** Where one signs in. */
export const SIGN_IN_PATH = "/sign-in";

/** Where to sign in from a page, to come back to it, and to read why its sign-in ended, where that is known; null on that very page. */
export function signInAddress(
  { pathname, search, hash }: Pick<Location, "pathname" | "search" | "hash">,
  ended: SessionEnd | null = null,
): string | null {
  if (pathname === SIGN_IN_PATH) return null;
  // A launch link's secret is for no query, which servers see.
  const from = `${pathname}${search}${hash.startsWith("#launch=") ? "" : hash}`;
  const query = new URLSearchParams({ ...(from !== "/" && { from }), ...(ended && { ended }) });
  return query.size === 0 ? SIGN_IN_PATH : `${SIGN_IN_PATH}?${query}`;
}
