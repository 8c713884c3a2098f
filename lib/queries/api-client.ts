import { z } from "zod";
import { type ErrorBody, type ErrorCode, errorBodySchema } from "#lib/contract/error.ts";
import { sessionEndSchema } from "#lib/contract/session.ts";
import { recordAnswer, recordNoAnswer, untilAbandoned } from "./live/server-contact.ts";
import { leaveToSignIn } from "./session/leave-page.ts";
import { justification, type NamedChange } from "./session/protection.ts";

const NDJSON = "application/x-ndjson";

/** The server's own codes, two for missing or unexpected answers, and one for a change given up by not giving a reason. */
export type ApiErrorCode = ErrorCode | "server_unreachable" | "unexpected_answer" | "given_up";

/** An error in the server's words. */
export class ApiError extends Error {
  override name = "ApiError";
  readonly code: ApiErrorCode;
  /** The HTTP status, 0 when there was no answer. */
  readonly status: number;
  readonly clusterSays: string | undefined;
  readonly nextStep: string | undefined;
  readonly details: Record<string, unknown> | undefined;

  constructor(error: Omit<ErrorBody["error"], "code"> & { code: ApiErrorCode }, status: number) {
    super(error.message);
    this.code = error.code;
    this.status = status;
    this.clusterSays = error.cause;
    this.nextStep = error.nextStep;
    this.details = error.details;
  }

  /** Whether only signing in, or signing in again, can help. */
  get asksToSignIn(): boolean {
    return this.code === "unauthenticated" && this.details?.signIn === true;
  }
}

/** GETs `path` and parses the answer. */
export async function getJson<Schema extends z.ZodType>(path: string, schema: Schema, signal: AbortSignal): Promise<z.infer<Schema>> {
  return parseJson(await request(path, { signal, headers: { accept: "application/json" } }), schema);
}

/** Whether the user gave up the change, which is not an error to show. */
export function isGivenUp(error: unknown): boolean {
  return error instanceof ApiError && error.code === "given_up";
}

/** POSTs `body` as JSON to `path` and parses the answer. `change` names the change if the definition may be protected. */
export async function postJson<Schema extends z.ZodType>(
  path: string,
  body: unknown,
  schema: Schema,
  change?: NamedChange,
): Promise<z.infer<Schema>> {
  return parseJson(await request(path, sending("POST", body, "application/json"), change), schema);
}

/** PATCHes `path` with `body` as JSON and parses the answer; `change` as with postJson. */
export async function patchJson<Schema extends z.ZodType>(
  path: string,
  body: unknown,
  schema: Schema,
  change?: NamedChange,
): Promise<z.infer<Schema>> {
  return parseJson(await request(path, sending("PATCH", body, "application/json"), change), schema);
}

/** GETs `path` as newline-delimited JSON, yielding each line as it arrives. */
export async function* getJsonLines<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
  signal: AbortSignal,
): AsyncGenerator<z.infer<Schema>> {
  yield* linesOf(await request(path, { signal, headers: { accept: NDJSON } }), schema);
}

/** POSTs `body` as JSON to `path`, and yields each line of the answer as it arrives; `change` as with postJson. */
export async function* postJsonLines<Schema extends z.ZodType>(
  path: string,
  body: unknown,
  schema: Schema,
  { signal, change }: { signal: AbortSignal; change?: NamedChange },
): AsyncGenerator<z.infer<Schema>> {
  yield* linesOf(await request(path, { ...sending("POST", body, NDJSON), signal }, change), schema);
}

function sending(method: "POST" | "PATCH", body: unknown, accept: string): RequestInit {
  return { method, headers: { accept, "content-type": "application/json" }, body: JSON.stringify(body) };
}

async function* linesOf<Schema extends z.ZodType>(response: Response, schema: Schema): AsyncGenerator<z.infer<Schema>> {
  let rest = "";
  for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.trim()) yield parseLine(line, schema);
  }
  if (rest.trim()) yield parseLine(rest, schema);
}

/** Sends a request; if protection refuses the change, asks the user for a reason and sends it again with that. */
async function request(path: string, init: RequestInit, change?: NamedChange): Promise<Response> {
  const response = await send(path, init);
  if (response.ok) return response;
  const error = await errorOf(response);
  const justified = change ? await justification(error.details, change) : "not-asked";
  if (justified === "not-asked") throw error;
  if (justified === "given-up") throw new ApiError({ code: "given_up", message: "No reason given. Nothing was changed." }, 0);
  const headers = new Headers(init.headers);
  for (const [name, value] of justified.headers) headers.set(name, value);
  const second = await send(path, { ...init, headers });
  if (!second.ok) throw await errorOf(second);
  return second;
}

async function send(path: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    const signal = AbortSignal.any([untilAbandoned(), ...(init.signal ? [init.signal] : [])]);
    response = await fetch(path, { cache: "no-store", ...init, signal });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    recordNoAnswer();
    throw new ApiError(
      {
        code: "server_unreachable",
        message: "crdshift isn't responding.",
        nextStep: "Check that it is running and that your network, tunnel or proxy can reach it.",
      },
      0,
    );
  }
  recordAnswer(response.headers.get("date"));
  return response;
}

async function errorOf(response: Response): Promise<ApiError> {
  const body = errorBodySchema.safeParse(await response.json().catch(() => null));
  if (body.success) return refusal(body.data, response.status);
  return unexpected(`The server returned ${response.status} ${response.statusText}`.trim(), response.status);
}

async function parseJson<Schema extends z.ZodType>(response: Response, schema: Schema): Promise<z.infer<Schema>> {
  const parsed = schema.safeParse(await response.json().catch(() => null));
  if (parsed.success) return parsed.data;
  throw unexpected(`Unexpected response from the server: ${z.prettifyError(parsed.error)}`, response.status);
}

function parseLine<Schema extends z.ZodType>(line: string, schema: Schema): z.infer<Schema> {
  const value: unknown = JSON.parse(line);
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const body = errorBodySchema.safeParse(value);
  if (body.success) throw refusal(body.data, 200);
  throw unexpected(`Unexpected line in the server's response: ${z.prettifyError(parsed.error)}`, 200);
}

/** The server's error; if it asks the user to sign in, also leaves for the sign-in page. */
function refusal({ error }: ErrorBody, status: number): ApiError {
  const refused = new ApiError(error, status);
  if (refused.asksToSignIn) leaveToSignIn(sessionEndSchema.safeParse(refused.details?.ended).data ?? null);
  return refused;
}

function unexpected(message: string, status: number): ApiError {
  return new ApiError({ code: "unexpected_answer", message, nextStep: "Reload the page. It may be older than the server." }, status);
}
