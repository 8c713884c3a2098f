import { SIGN_IN_PATH } from "#lib/queries/sign-in-address.ts";

/** Any origin: what stays on this one stays on the page's own. */
const HERE = "http://here.invalid";

/** Where to go after the sign-in: the path that was asked for, if it is one of crdshift's own pages, else the first page. */
export function safeReturnPath(from: string | null): string {
  if (!from?.startsWith("/") || !URL.canParse(from, HERE)) return "/";
  // A browser reads "//", "/\" and a slash, a tab and a slash as the beginning of another site's name, and makes "//" of "/.//".
  const { origin, pathname } = new URL(from, HERE);
  return origin === HERE && !pathname.startsWith("//") && pathname !== SIGN_IN_PATH ? from : "/";
}
