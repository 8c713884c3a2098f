import type { ZodType } from "zod";
import { AppError, shuttingDown } from "#lib/contract/app-error.ts";
import { countValues } from "#lib/domain/exact-json/count-values.ts";
import { isShuttingDown } from "#lib/process-wide/shutdown.ts";

const BODY_MAX_KIB = 1024;
/** What anyone sends has a few hundred at most, and a schema takes a while over each. */
const MOST_VALUES = 10_000;

/**
 * The request's validated JSON body. An empty body counts as `{}`.
 * @throws AppError invalid_input with the problems, too_large for more than `most` KiB or 10,000 values.
 */
export async function readBody<Body>(request: Request, schema: ZodType<Body>, most = BODY_MAX_KIB): Promise<Body> {
  const text = await readText(request, most);
  // The request guard has seen only the headers, and the body may take long to arrive.
  if (isShuttingDown()) throw shuttingDown();
  // Before parsing, which takes half a second for a megabyte of brackets.
  if (countValues(text) > MOST_VALUES) {
    const mostValues = MOST_VALUES.toLocaleString("en-US");
    throw new AppError("too_large", `The body has more than ${mostValues} values.`, { nextStep: "Send a smaller body." });
  }
  let body: unknown;
  try {
    body = text ? JSON.parse(text) : {};
  } catch (error) {
    throw new AppError("invalid_input", "The body is not JSON.", { nextStep: "Send a JSON object.", cause: error });
  }
  return checked(body, schema, "body");
}

/** The request's validated query; if a name appears twice, the last counts. Throws AppError invalid_input with the problems. */
export function readQuery<Query>(request: Request, schema: ZodType<Query>): Query {
  return checked(Object.fromEntries(new URL(request.url).searchParams), schema, "query");
}

/**
 * The request's body as text. Counts its length while reading, since a chunked body doesn't announce it.
 * @throws AppError too_large as soon as it exceeds so many KiB, without reading the rest.
 */
async function readText(request: Request, most: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  // Leaving the loop cancels the stream.
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > most * 1024) {
      const size = most === BODY_MAX_KIB ? "1 MiB" : `${most} KiB`;
      throw new AppError("too_large", `The body is larger than ${size}.`, { nextStep: "Send a smaller body." });
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

const MOST_PROBLEMS = 5;
const PROBLEM_MAX_LENGTH = 300;

function problemOf({ path, message }: { path: PropertyKey[]; message: string }): string {
  return [path.map(String).join("."), message].filter(Boolean).join(": ");
}

function checked<Value>(value: unknown, schema: ZodType<Value>, what: string): Value {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.slice(0, MOST_PROBLEMS).map((issue) => problemOf(issue).slice(0, PROBLEM_MAX_LENGTH));
  const more = parsed.error.issues.length > MOST_PROBLEMS ? "; and more" : "";
  throw new AppError("invalid_input", `The ${what} is invalid: ${problems.join("; ")}${more}.`, {
    nextStep: "Correct it; docs/http-api.md lists the HTTP surface.",
  });
}
