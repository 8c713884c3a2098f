import type { Dispatcher } from "undici";
import { untilAborted } from "#lib/async/until-aborted.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { SessionEnd } from "#lib/contract/session.ts";
import packageJson from "#package.json" with { type: "json" };
import { countError, countRequest } from "./api-requests.ts";
import { noteEarlyDenial, noteGranted } from "./early-denial.ts";
import { statusError, transportError } from "./errors.ts";
import { inLongAnswersTurn, type Line, parsedInTurn, turnToArrive } from "./long-answers.ts";
import { pieces } from "./pieces.ts";
import {
  ANSWER_MAX_BYTES,
  ANSWER_WITHIN_MS,
  answerTooLarge,
  FAILURE_MAX_BYTES,
  HeldBack,
  type Sending,
  type WholeAnswer,
  wholeAnswer,
} from "./whole-answer.ts";

/** The version shown in the API server's audit log and in the records of runs. */
export const crdshiftVersion: string = packageJson.version;

export interface ClusterRequest {
  method?: "GET" | "POST" | "PATCH" | "DELETE";
  /** Absolute path with query. */
  path: string;
  accept?: string;
  body?: { type: "application/json" | "application/merge-patch+json" | "application/json-patch+json"; json: string };
  signal: AbortSignal;
  sending?: Sending;
  /** The longest wait for the first byte, and between bytes. A whole answer may take five minutes in all. */
  timeoutMs?: number;
  /** The longest wait for the first byte, if shorter. */
  headersTimeoutMs?: number;
  /** The longest answer, or line of a stream; a longer one is an error. */
  maxBytes?: number;
  /** The run that sends it, for the API server's audit log. */
  runId?: string;
  /** Among which long answers it arrives. */
  line?: Line;
  /** Replaces the shared dispatcher. */
  dispatcher?: Connection["dispatcher"];
}

export interface ClusterResponse {
  json: unknown;
  /** The server's clock, ms since the epoch; null without a Date header. */
  serverTime: number | null;
  /** The size of the answer. */
  bytes: number;
}

const TIMEOUT_MS = 30_000;

/**
 * Sends one request and reads its JSON. It doesn't follow redirects, and passes on nothing from the browser's request.
 * @throws AppError for every status other than 2xx and for network errors. An abort throws the signal's reason.
 */
export async function requestJson(connection: Connection, options: ClusterRequest): Promise<ClusterResponse> {
  const { headers, text, bytes } = await readWhole(connection, options);
  try {
    const json = await parsedInTurn(text, connection, options.signal, { line: options.line });
    return { json, serverTime: dateHeader(headers.date), bytes };
  } catch (error) {
    throw failed(error, connection, options);
  }
}

/** Like requestJson, for answers whose numbers JavaScript would round. */
export async function requestText(connection: Connection, options: ClusterRequest): Promise<{ text: string; bytes: number }> {
  return readWhole(connection, options);
}

/** Like requestJson, for long or endless answers: yields their lines. */
export async function* requestLines(connection: Connection, options: ClusterRequest & { onOpen?: () => void }): AsyncGenerator<string> {
  const { body } = await openStream(connection, options);
  options.onOpen?.();
  const { maxBytes = ANSWER_MAX_BYTES } = options;
  const line = pieces(joined);
  let length = 0;
  try {
    for await (const chunk of body.setEncoding("utf8")) {
      const [end = "", ...more] = String(chunk).split("\n");
      line.add(end);
      length += end.length;
      for (const next of more) {
        yield line.take();
        line.add(next);
        length = next.length;
      }
      if (length > maxBytes) throw answerTooLarge(options, maxBytes);
    }
  } catch (error) {
    throw failed(error, connection, options);
  }
}

/** Like requestText, for an answer that is only passed on: yields its bytes as they arrive, and reads no faster than they are taken. */
export async function* requestBytes(connection: Connection, options: ClusterRequest): AsyncGenerator<Uint8Array> {
  const { body } = await openStream(connection, options);
  try {
    for await (const chunk of body) yield chunk as Buffer;
  } catch (error) {
    throw failed(error, connection, options);
  }
}

function readWhole(connection: Connection, options: ClusterRequest): Promise<WholeAnswer> {
  const { signal, sending, maxBytes = ANSWER_MAX_BYTES } = options;
  const mayArrive = (within: AbortSignal) => turnToArrive(connection, options.line ?? "others", within);
  return askSignedIn(connection, options, {
    ask: (dispatcher, toSend) => wholeAnswer(dispatcher, toSend, { signal, maxBytes, mayArrive, ...(sending && { sending }) }),
    textOf: async ({ text }) => text,
  });
}

function openStream(connection: Connection, options: ClusterRequest): Promise<Dispatcher.ResponseData> {
  return askSignedIn(connection, options, {
    // undici heeds the signal only once the request has a connection; a cancel must not wait for that.
    ask: (dispatcher, toSend) => untilAborted(dispatcher.request({ ...toSend, signal: options.signal }), options.signal),
    textOf: ({ body }) => beginningOf(body).catch(() => ""),
  });
}

async function beginningOf(body: Dispatcher.ResponseData["body"]): Promise<string> {
  const text = pieces(joined);
  const until = performance.now() + ANSWER_WITHIN_MS;
  let length = 0;
  for await (const chunk of body.setEncoding("utf8")) {
    text.add(chunk);
    length += chunk.length;
    // Leaving the loop ends the request.
    if (length > FAILURE_MAX_BYTES || performance.now() > until) break;
  }
  return text.take();
}

function joined(parts: string[]): string {
  return parts.join("");
}

/** How to send a request, and how to read the text of a failed answer. */
interface Asking<Answer> {
  ask(dispatcher: Dispatcher, toSend: Dispatcher.DispatchOptions): Promise<Answer>;
  textOf(answer: Answer): Promise<string>;
}

async function askSignedIn<Answer extends Pick<WholeAnswer, "statusCode" | "headers">>(
  connection: Connection,
  options: ClusterRequest,
  { ask, textOf }: Asking<Answer>,
): Promise<Answer> {
  const once = async (renew: boolean) => {
    try {
      const sending = await toSend(connection, options, renew);
      return await countRequest(sending.method, options.signal, () => ask(options.dispatcher ?? connection.dispatcher, sending));
    } catch (error) {
      throw failed(error, connection, options);
    }
  };
  const isAccepted = ({ statusCode }: Answer) => {
    const is2xx = statusCode >= 200 && statusCode < 300;
    if (is2xx) noteGranted(connection, options);
    return is2xx;
  };
  const errorOf = async (answer: Answer) => {
    const text = await textOf(answer);
    const read = () => statusError(answer.statusCode, answer.headers, text, options);
    const error = await inLongAnswersTurn(text, connection, options.signal, read, { line: options.line });
    return noteEarlyDenial(connection, options, error);
  };
  const first = await once(false);
  if (isAccepted(first)) return first;
  const error = await errorOf(first);
  if (error.code !== "unauthenticated") throw countError(error);
  options.sending?.refused();
  if (!connection.renewable) throw tokenRefused(countError(error));
  // The token may have been renewed on disk since the headers were read, and its plugin may have another one.
  const second = await once(true);
  if (isAccepted(second)) return second;
  throw countError(await errorOf(second));
}

/** Translates and counts an error; an abort stays as it is, and so does what held the request back. */
function failed(error: unknown, connection: Connection, options: ClusterRequest): unknown {
  if (error instanceof HeldBack) return error;
  if (options.sending?.within.aborted && error === options.sending.within.reason) return error;
  const told = transportError(error, connection, options);
  return options.signal.aborted ? told : countError(noteEarlyDenial(connection, options, told));
}

/** crdshift can't renew a person's token: they have to sign in again. */
function tokenRefused({ clusterMessage }: AppError): AppError {
  return new AppError("unauthenticated", "The cluster rejected your token.", {
    nextStep: "It may have expired or belong to another cluster. Sign in with a new one.",
    details: { signIn: true, ended: "token-refused" satisfies SessionEnd },
    clusterMessage,
  });
}

async function toSend(connection: Connection, options: ClusterRequest, renew: boolean): Promise<Dispatcher.DispatchOptions> {
  const { method = "GET", accept = "application/json", body, signal, timeoutMs = TIMEOUT_MS, runId } = options;
  const { origin, pathname, search } = new URL(`${connection.server}${options.path}`);
  return {
    ...{ origin, method },
    path: `${pathname}${search}`,
    headers: {
      ...(await untilAborted(connection.authHeaders({ renew }), options.sending?.within ?? signal)),
      accept,
      "user-agent": runId ? `crdshift/${crdshiftVersion} (run=${runId})` : `crdshift/${crdshiftVersion}`,
      ...(body && { "content-type": body.type }),
    },
    body: body?.json ?? null,
    headersTimeout: options.headersTimeoutMs ?? timeoutMs,
    bodyTimeout: timeoutMs,
  };
}

function dateHeader(value: string | string[] | undefined): number | null {
  const time = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? null : time;
}

/**
 * A name as one segment of an API server's path. The API server decodes an escaped slash: `name%2Fstatus` would be another resource.
 * Source: apimachinery/pkg/api/validation/path/name.go, IsValidPathSegmentName.
 * @throws AppError invalid_input for names that no object can have.
 */
export function pathSegment(name: string): string {
  if (!isPathSegment(name)) {
    throw new AppError("invalid_input", `${JSON.stringify(name)} is not a valid Kubernetes name.`, {
      nextStep: "Correct the name.",
    });
  }
  return encodeURIComponent(name);
}

/** Whether a name can be one segment of an API server's path. */
export function isPathSegment(name: string): boolean {
  return name !== "" && name !== "." && name !== ".." && !/[/%]/.test(name);
}
