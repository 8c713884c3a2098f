import type { SessionInfo } from "#lib/contract/session.ts";

/** Whether one can sign in here with another token: not in place of a proxy's, and nowhere else. */
export function maySignInAnew(session: Pick<SessionInfo, "mode" | "until"> | null): boolean {
  return session?.mode === "token" && session.until !== null;
}
