import type { ZodType } from "zod";
import { AppError, isAppError } from "#lib/contract/app-error.ts";
import type { ErrorBody, ErrorCode } from "#lib/contract/error.ts";

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

type Params = Record<string, string>;

/**
 * A route handler: decodes the path, runs, and turns what was thrown into the contract's error body. Errors that are not
 * AppErrors stay in the log; their text never leaves the server.
 */
export function handle<Names extends string>(
  run: (input: { request: Request; params: Record<Names, string> }) => Promise<Response>,
): (request: Request, context: { params: Promise<Record<Names, string>> }) => Promise<Response> {
  return async (request, context) => {
    try {
      return await run({ request, params: decodeParams((await context.params) ?? {}) });
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

/** The most that a body may hold, in characters. */
const BODY_MAX_LENGTH = 1024 * 1024;

/** The request's JSON body, checked. An empty body counts as `{}`. Throws AppError invalid_input that says what is wrong. */
export async function readBody<Body>(request: Request, schema: ZodType<Body>): Promise<Body> {
  const text = await request.text();
  if (text.length > BODY_MAX_LENGTH) throw new AppError("too_large", "The body is larger than 1 MiB.", { nextStep: "Send less." });
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
  const { code, message, nextStep, clusterMessage, details } = error;
  const body: ErrorBody = {
    error: { code, message, ...(clusterMessage && { cause: clusterMessage }), ...(nextStep && { nextStep }), ...(details && { details }) },
  };
  return json(body, statusOf[code]);
}

// Next hands dynamic segments over still encoded (and nothing where a route has none): `arn:aws:eks:…:cluster%2Fa%20b`.
function decodeParams<Names extends string>(params: Record<Names, string>): Record<Names, string> {
  const decoded: Params = {};
  for (const [name, value] of Object.entries<string>(params)) {
    try {
      decoded[name] = decodeURIComponent(value);
    } catch (error) {
      throw new AppError("invalid_input", `The path holds an escape that can't be read: ${value}.`, {
        nextStep: "Encode it with encodeURIComponent.",
        cause: error,
      });
    }
  }
  return decoded as Record<Names, string>;
}
