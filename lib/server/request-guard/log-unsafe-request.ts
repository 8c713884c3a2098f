import type { IncomingMessage, ServerResponse } from "node:http";
import { logLine } from "#lib/process-wide/log-problem.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";

const SAFE_METHODS = ["GET", "HEAD", "OPTIONS"];
/** Longer paths match nothing here. */
const MAX_PATH = 2_000;

/** Whoever reaches the port may ask as often as they like, and must not wash what others have done out of a log that is kept for a while. */
const MOST_IN_VAIN_A_SECOND = 20;
/** Answered with 200 also where there was no session to end. */
const SIGN_OUT = "/api/sign-out";

/**
 * Logs a request that may change something as one line of JSON once it ends, without its headers, query or body. Of those without success, and
 * of sign-outs, at most twenty a second; the next one's line says how many were left out.
 */
export function logUnsafeRequest(request: IncomingMessage, response: ServerResponse, requestId: string): void {
  const { method = "GET" } = request;
  if (SAFE_METHODS.includes(method)) return;
  const startedAt = performance.now();
  response.once("close", () => {
    // 499: the client disconnected before the answer was complete.
    const status = response.writableFinished ? response.statusCode : 499;
    const ms = Math.round(performance.now() - startedAt);
    const path = pathOf(request);
    const unlogged = status >= 300 || path.startsWith(SIGN_OUT) ? unloggedUntil(performance.now()) : 0;
    if (unlogged === null) return;
    const line = { level: "info" as const, at: new Date().toISOString(), requestId, method, path, status, ms };
    console.log(logLine({ ...line, ...(unlogged > 0 && { unlogged }) }));
  });
}

/** How many such lines were left out before this one; null if this one is, too. */
function unloggedUntil(now: number): number | null {
  const lines = processWide("lines-in-vain", () => ({ since: Number.NEGATIVE_INFINITY, told: 0, unlogged: 0 }));
  if (now - lines.since >= 1_000) Object.assign(lines, { since: now, told: 0 });
  if (lines.told >= MOST_IN_VAIN_A_SECOND) {
    lines.unlogged += 1;
    return null;
  }
  lines.told += 1;
  const { unlogged } = lines;
  lines.unlogged = 0;
  return unlogged;
}

/** The path of a request as sent, without its query. */
export function pathOf({ url = "/" }: Pick<IncomingMessage, "url">): string {
  return (/^[^?#]*/.exec(url)?.[0] ?? "").slice(0, MAX_PATH);
}
