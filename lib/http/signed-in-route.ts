import type { ZodType } from "zod";
import { inTurn, noTurns, type Place } from "#lib/async/in-turn.ts";
import { type Credentials, credentialsId } from "#lib/cluster/connection/credentials.ts";
import { AppError, appErrorBody, isAppError, shuttingDown } from "#lib/contract/app-error.ts";
import type { ErrorBody, ErrorCode } from "#lib/contract/error.ts";
import { countValues } from "#lib/domain/exact-json/count-values.ts";
import { errorDetail, logProblem } from "#lib/process-wide/log-problem.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";
import { isShuttingDown } from "#lib/process-wide/shutdown.ts";
import { authenticate } from "#lib/sign-in/authenticate.ts";
import { confirmToken } from "#lib/sign-in/confirm-token.ts";
import { breakOffFor } from "./held-answers.ts";
import { jsonPieces } from "./json-pieces.ts";
import { NETWORK_HEADER, REQUEST_ID_HEADER } from "./server-headers.ts";
import { untilRead } from "./until-read.ts";

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

interface Asked<Names extends string> {
  request: Request;
  params: Record<Names, string>;
}

/**
 * Whose request it is. Of those who share crdshift's own credentials, only the network is known, which may be one person's or, behind a
 * proxy, everybody's.
 */
export interface RequestOwner {
  person: string;
  isShared: boolean;
}

/** A page makes up to a dozen requests at once, and a browser opens several pages. */
const MOST_REQUESTS = { ofPerson: { atWork: 16, waiting: 240 }, shared: { atWork: 32, waiting: 1_000 } };
/** How often whoever waits for one of the shared turns looks for an answer that holds one and is read slowly. */
const LOOK_EVERY_MS = 500;
/** Twice what one network may have at work: it leaves as much free. */
const MOST_SHARED_IN_ALL = 64;

type RouteHandler<Names extends string> = (request: Request, context: { params: Promise<Record<Names, string>> }) => Promise<Response>;

/**
 * publicRoute for signed-in users only; if they use a cluster token, the cluster confirms it. `run` gets the credentials for their
 * requests to clusters. Of one person's requests only some are at work, or have a long answer that is not read yet; the others wait for
 * their turn. `urgent` is for what slows down or stops a run: it waits only briefly for a token that was accepted before, and only for its
 * own kind.
 */
export function signedInRoute<Names extends string>(
  run: (asked: Asked<Names> & { credentials: Credentials; owner: RequestOwner }) => Promise<Response>,
  { urgent = false } = {},
): RouteHandler<Names> {
  return publicRoute(async (asked) => {
    const credentials = authenticate(asked.request);
    const owner = requestOwner(asked.request, credentials, await confirmToken(credentials, { urgent }));
    // Next calls the GET handler for HEAD, and would neither read nor end its stream.
    if (asked.request.method === "HEAD") return new Response(null, { status: 405, headers: { allow: "GET" } });
    const turns = owner.isShared
      ? processWide("shared-request-turns", () => noTurns(MOST_SHARED_IN_ALL, { leavesHalf: true }))
      : processWide("request-turns", () => noTurns(Number.POSITIVE_INFINITY));
    const { signal } = asked.request;
    const answered = Promise.withResolvers<Response>();
    const place = placeOf(owner, urgent);
    const waiting = owner.isShared ? setInterval(() => breakOffFor(place.person, turns), LOOK_EVERY_MS) : undefined;
    // A stream's turn ends with its beginning; count-open.ts counts it until its end.
    inTurn(turns, place, signal, async () => {
      clearInterval(waiting);
      // Whoever waited may have signed out meanwhile.
      authenticate(asked.request);
      const { answer, read } = await untilRead(
        await run({ ...asked, credentials, owner }),
        { ...owner, person: place.person },
        asked.request,
      );
      answered.resolve(answer);
      await read;
    })
      .catch(answered.reject)
      .finally(() => clearInterval(waiting));
    return answered.promise;
  });
}

function placeOf({ person, isShared }: RequestOwner, urgent: boolean): Place {
  const most = isShared ? MOST_REQUESTS.shared : MOST_REQUESTS.ofPerson;
  const tooMany = () =>
    new AppError("too_many_requests", `${most.atWork + most.waiting} of your requests are waiting for an answer, which is the limit.`, {
      nextStep: "Wait for some of them, then try again.",
    });
  return {
    person: urgent ? `urgent ${person}` : person,
    mostAtWork: most.atWork,
    waiting: { most: most.waiting, tooMany },
  };
}

// A person may have many tokens; where the cluster doesn't say whose one is, it counts for itself.
function requestOwner({ headers }: Request, credentials: Credentials, user: string | null): RequestOwner {
  if (credentials.kind === "own") return { person: `network ${headers.get(NETWORK_HEADER)}`, isShared: true };
  return { person: user === null ? credentialsId(credentials) : `user ${user}`, isShared: false };
}

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

/** A JSON answer that must not be cached. A long list in it is made only while the answer is read. */
export function json(body: unknown, status = 200): Response {
  const pieces = longPieces(jsonPieces(body));
  const first = pieces.next().value ?? "";
  const encoder = new TextEncoder();
  const rest = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(first)),
    pull: (controller) => {
      const { done, value } = pieces.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
  });
  const isWhole = first.length < PIECE_LENGTH;
  return new Response(isWhole ? first : rest, { status, headers: { "cache-control": "no-store", "content-type": "application/json" } });
}

const PIECE_LENGTH = 64 * 1024;

/** The same text in pieces of that length or more, but for the last. */
function* longPieces(pieces: Iterable<string>): Generator<string, undefined> {
  let text = "";
  for (const piece of pieces) {
    text += piece;
    if (text.length < PIECE_LENGTH) continue;
    yield text;
    text = "";
  }
  yield text;
}

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

/** What anyone sends has a few hundred at most, and a schema takes a while over each. */
const MOST_VALUES = 10_000;
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

const BODY_MAX_KIB = 1024;

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

/** The answer `{}` with Set-Cookie headers. */
export function withCookies(cookies: readonly string[]): Response {
  const response = json({});
  for (const cookie of cookies) response.headers.append("set-cookie", cookie);
  return response;
}
