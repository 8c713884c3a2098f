import type { IncomingMessage, ServerResponse } from "node:http";
import { logProblem } from "#lib/process-wide/log-problem.ts";
import { pathOf } from "./request-guard/log-unsafe-request.ts";
import { unloggedUntil } from "./request-guard/unlogged-until.ts";

/** Logs that Next answered with 500, at most twenty times a second. Routes answer with JSON, and log why themselves. */
export function logFailedAnswer(request: IncomingMessage, response: ServerResponse, requestId: string): void {
  if (response.statusCode !== 500 || String(response.getHeader("content-type")).startsWith("application/json")) return;
  // Anyone may have it fail, by headers that it can't read.
  const unlogged = unloggedUntil(performance.now());
  if (unlogged === null) return;
  const more = unlogged > 0 ? { unlogged: String(unlogged) } : {};
  logProblem("error", { ...more, requestId, method: request.method, path: pathOf(request), message: "Next could not answer." });
}
