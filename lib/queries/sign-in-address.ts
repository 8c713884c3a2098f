/** Where one signs in. */
export const SIGN_IN_PATH = "/sign-in";

/** Where to sign in from a page, and to come back to it; null on that very page. */
export function signInAddress({ pathname, search }: { pathname: string; search: string }): string | null {
  if (pathname === SIGN_IN_PATH) return null;
  const from = `${pathname}${search}`;
  return from === "/" ? SIGN_IN_PATH : `${SIGN_IN_PATH}?${new URLSearchParams({ from })}`;
}
