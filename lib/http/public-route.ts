import { appErrorBody, isAppError } from "#lib/contract/app-error.ts";
import type { ErrorBody, ErrorCode } from "#lib/contract/error.ts";
import { errorDetail, logProblem } from "#lib/process-wide/log-problem.ts";
import { json } from "./json.ts";
import { REQUEST_ID_HEADER } from "./server-headers.ts";

const statusOf: Record<ErrorCode, number> = {
  invalid_input: 400,
  unauthenticated: 401,
  forbidden: 403,
  request_refused: 403,
  not_found: 404,
  conflict: 409,
  precondition_failed: 409,
  too_large: 413,
  unsupported_media_type: 415,
  cluster_rejected: 422,
  too_many_requests: 429,
  cluster_unreachable: 502,
  cluster_timeout: 504,
  internal: 500,
};

export interface Asked<Names extends string> {
  request: Request;
  params: Record<Names, string>;
}

export type RouteHandler<Names extends string> = (
  request: Request,
  context: { params: Promise<Record<Names, string>> },
) => Promise<Response>;

/**
 * A route handler without sign-in that turns errors into the contract's error body. Only the log has the text of errors that aren't
 * AppErrors. Next passes dynamic segments decoded to handlers and generateMetadata, and encoded to pages and layouts: decoding here
 * would read `p%2Fq` as `p/q`.
 */
export function publicRoute<Names extends string>(run: (asked: Asked<Names>) => Promise<Response>): RouteHandler<Names> {
  return async (request, context) => {
    try {
      return await run({ request, params: await context.params });
    } catch (error) {
      if (request.signal.aborted) return new Response(null, { status: 499 });
      const { body, status } = errorAnswer(error, request);
      return json(body, status);
    }
  };
}

/** The contract's error body for an error, with its status. Logs errors that aren't AppErrors. */
export function errorAnswer(error: unknown, request: Pick<Request, "method" | "url" | "headers">): { body: ErrorBody; status: number } {
  if (isAppError(error)) return { body: appErrorBody(error), status: statusOf[error.code] };
  const { method, url, headers } = request;
  const requestId = headers.get(REQUEST_ID_HEADER);
  logProblem("error", { requestId, method, path: new URL(url).pathname, detail: errorDetail(error) });
  return {
    body: {
      error: { code: "internal", message: "crdshift ran into an internal error.", nextStep: "Check crdshift's log, and please report it." },
    },
    status: 500,
  };
}
