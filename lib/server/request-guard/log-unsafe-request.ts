import type { IncomingMessage, ServerResponse } from "node:http";
import { logLine } from "#lib/process-wide/log-problem.ts";

const SAFE_METHODS = ["GET", "HEAD", "OPTIONS"];
/** Longer paths match nothing here. */
const MAX_PATH = 2_000;

/** Logs a request that may change something as one line of JSON once it ends, without its headers, query or body. */
export function logUnsafeRequest(request: IncomingMessage, response: ServerResponse, requestId: string): void {
  const { method = "GET" } = request;
  if (SAFE_METHODS.includes(method)) return;
  const startedAt = performance.now();
  response.once("close", () => {
    // 499: the client disconnected before the answer was complete.
    const status = response.writableFinished ? response.statusCode : 499;
    const ms = Math.round(performance.now() - startedAt);
    console.log(logLine({ level: "info", at: new Date().toISOString(), requestId, method, path: pathOf(request), status, ms }));
  });
}

/** The path of a request as sent, without its query. */
export function pathOf({ url = "/" }: Pick<IncomingMessage, "url">): string {
  return (/^[^?#]*/.exec(url)?.[0] ?? "").slice(0, MAX_PATH);
}
