import type { IncomingMessage, ServerResponse } from "node:http";
import { logLine } from "#lib/process-wide/log-problem.ts";
import { unloggedUntil } from "./unlogged-until.ts";

const SAFE_METHODS = ["GET", "HEAD", "OPTIONS"];
/** Longer paths match nothing here. */
const MAX_PATH = 2_000;

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

/** The path of a request as sent, without its query. */
export function pathOf({ url = "/" }: Pick<IncomingMessage, "url">): string {
  return (/^[^?#]*/.exec(url)?.[0] ?? "").slice(0, MAX_PATH);
}
