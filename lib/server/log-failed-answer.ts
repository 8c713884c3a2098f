import type { IncomingMessage, ServerResponse } from "node:http";
import { logProblem } from "#lib/process-wide/log-problem.ts";
import { pathOf } from "./request-guard/log-unsafe-request.ts";

/** Logs that Next answered with 500. Routes answer with JSON, and log why themselves. */
export function logFailedAnswer(request: IncomingMessage, response: ServerResponse, requestId: string): void {
  if (response.statusCode !== 500 || String(response.getHeader("content-type")).startsWith("application/json")) return;
  logProblem("error", { requestId, method: request.method, path: pathOf(request), message: "Next could not answer." });
}
