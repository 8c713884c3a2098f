import { processWide } from "#lib/process-wide/process-wide.ts";

/** A copy of a cookie outlives its sign-out; the session that it held must not. By session id: when it would have ended, in ms. */
function signedOut(): Map<string, number> {
  return processWide("signed-out", () => new Map());
}

/** From now on no cookie that holds this session signs anybody in to this process. */
export function endSession({ id, until }: { id: string; until: number }): void {
  const ended = signedOut();
  for (const [old, endedAt] of ended) if (endedAt <= Date.now()) ended.delete(old);
  ended.set(id, until);
}

export function isSignedOut(sessionId: string): boolean {
  return signedOut().has(sessionId);
}
