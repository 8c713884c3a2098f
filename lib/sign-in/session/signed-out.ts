import { processWide } from "#lib/process-wide/process-wide.ts";

/** No session lasts longer. */
export const LONGEST_MS = 8 * 3_600_000;

/**
 * Signed-out sessions, since copies of a cookie outlive its sign-out. By session id: when it would have ended, in ms since the epoch, and
 * when it was signed out, by performance.now(), since a clock that runs ahead for a while must not forget one. Each person can only have so
 * many: signIn limits how often one signs in.
 */
function signedOut(): { sessions: Map<string, { at: number; until: number }>; sweptAt: number } {
  return processWide("signed-out", () => ({ sessions: new Map(), sweptAt: 0 }));
}

const SWEEP_EVERY_MS = 60_000;

/** Rejects every cookie with this session from now on, in this process. */
export function endSession({ id, until }: { id: string; until: number }): void {
  const ended = signedOut();
  const now = performance.now();
  ended.sessions.set(id, { at: now, until });
  if (now - ended.sweptAt < SWEEP_EVERY_MS) return;
  ended.sweptAt = now;
  for (const [old, one] of ended.sessions) if (now - one.at > LONGEST_MS && one.until <= Date.now()) ended.sessions.delete(old);
}

/** Whether someone has ended this session before its time. */
export function isSignedOut(sessionId: string): boolean {
  return signedOut().sessions.has(sessionId);
}
