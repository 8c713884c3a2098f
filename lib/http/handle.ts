import type { ZodType } from "zod";
import { AppError, isAppError } from "#lib/contract/app-error.ts";
import { appErrorBody } from "#lib/contract/app-error-body.ts";
import type { ErrorBody, ErrorCode } from "#lib/contract/error.ts";
import { readText } from "./read-text.ts";

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
  cluster_unreachable: 502,
  cluster_timeout: 504,
  internal: 500,
};

/**
 * A route handler: runs, and turns what was thrown into the contract's error body. Errors that are not AppErrors stay in the
 * log; their text never leaves the server. Next hands a handler (and generateMetadata) its dynamic segments decoded, and a page
 * or layout still encoded: decoding here would read `p%2Fq` as `p/q`.
 */
export function handle<Names extends string>(
  run: (input: { request: Request; params: Record<Names, string> }) => Promise<Response>,
): (request: Request, context: { params: Promise<Record<Names, string>> }) => Promise<Response> {
  return async (request, context) => {
    try {
      return await run({ request, params: await context.params });
    } catch (error) {
      if (request.signal.aborted) return new Response(null, { status: 499 });
      return errorResponse(error, request);
    }
  };
}

/** An answer as JSON that nobody may cache. */
export function json(body: unknown, status = 200): Response {
  return Response.json(body, { status, headers: { "cache-control": "no-store" } });
}

/**
 * The request's JSON body, checked. An empty body counts as `{}`.
 * @throws AppError invalid_input that says what is wrong, too_large for more than a mebibyte.
 */
export async function readBody<Body>(request: Request, schema: ZodType<Body>): Promise<Body> {
  const text = await readText(request);
  let body: unknown;
  try {
    body = text ? JSON.parse(text) : {};
  } catch (error) {
    throw new AppError("invalid_input", "The body is not JSON.", { nextStep: "Send a JSON object.", cause: error });
  }
  return checked(body, schema, "body");
}

/** The request's query, checked; of a name given twice the last counts. Throws AppError invalid_input that says what is wrong. */
export function readQuery<Query>(request: Request, schema: ZodType<Query>): Query {
  return checked(Object.fromEntries(new URL(request.url).searchParams), schema, "query");
}

function checked<Value>(value: unknown, schema: ZodType<Value>, what: string): Value {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => [issue.path.join("."), issue.message].filter(Boolean).join(": "));
  throw new AppError("invalid_input", `The ${what} can't be used: ${problems.join("; ")}.`, {
    nextStep: "Correct it; ARCHITECTURE.md lists the HTTP surface.",
  });
}

/** What was thrown, as the contract's error body with its status. */
function errorResponse(error: unknown, request: { method: string; url: string }): Response {
  if (!isAppError(error)) {
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
    console.error(JSON.stringify({ level: "error", method: request.method, path: new URL(request.url).pathname, detail }));
    const body: ErrorBody = { error: { code: "internal", message: "crdshift failed.", nextStep: "Its log says why; please report it." } };
    return json(body, 500);
  }
  return json(appErrorBody(error), statusOf[error.code]);
}
