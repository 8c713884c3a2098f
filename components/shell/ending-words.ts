import type { SessionInfo } from "#lib/contract/session.ts";
import { endsWithToken } from "#lib/queries/known-session.ts";

/** From when on somebody is warned of the end of their sign-in. */
const WARN_MS = 5 * 60_000;

/** How long a sign-in still lasts, in words, once that is to be told; null before. */
export function timeLeft({ until }: Pick<SessionInfo, "until">, now: number): string | null {
  if (until === null) return null;
  const leftMs = Date.parse(until) - now;
  if (leftMs > WARN_MS) return null;
  return leftMs < 60_000 ? "in less than a minute" : `in ${Math.round(leftMs / 60_000)} min`;
}

/** What becomes of rewrites when a sign-in ends: one that works with a token goes as long as that. */
export function afterEnd(session: Pick<SessionInfo, "mode" | "until" | "tokenUntil">): string {
  if (session.mode !== "token") return "Rewrites go on. To go on looking, open the newest link that crdshift printed.";
  return endsWithToken(session)
    ? "Rewrites that you started are interrupted then, and can be resumed."
    : "Rewrites that you started go on with your token.";
}
