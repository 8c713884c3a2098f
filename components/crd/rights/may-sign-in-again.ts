import type { SessionInfo } from "#lib/contract/session.ts";

/** Whether the user can sign in with another token: only in token mode, and not when a proxy sends the token. */
export function maySignInAgain(session: Pick<SessionInfo, "mode" | "until"> | null): boolean {
  return session?.mode === "token" && session.until !== null;
}
