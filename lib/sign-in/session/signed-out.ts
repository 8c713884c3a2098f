import { processWide } from "#lib/process-wide/process-wide.ts";

/** Signed-out sessions, since copies of a cookie outlive its sign-out. By session id: when it would have ended, in ms since the epoch. */
function signedOut(): Map<string, number> {
  return processWide("signed-out", () => new Map());
}

/** Rejects every cookie with this session from now on, in this process. */
export function endSession({ id, until }: { id: string; until: number }): void {
  const ended = signedOut();
  for (const [old, endedAt] of ended) if (endedAt <= Date.now()) ended.delete(old);
  ended.set(id, until);
}

export function isSignedOut(sessionId: string): boolean {
  return signedOut().has(sessionId);
}
