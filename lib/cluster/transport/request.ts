import type { Dispatcher } from "undici";
import { untilAborted } from "#lib/async/until-aborted.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { SessionEnd } from "#lib/contract/session.ts";
import { countError, countRequest } from "./api-requests.ts";
import { crdshiftVersion } from "./crdshift-version.ts";
import { statusError, transportError } from "./errors.ts";
import { type WholeAnswer, wholeAnswer } from "./whole-answer.ts";

export const FIELD_MANAGER = "crdshift";

export interface ClusterRequest {
  method?: "GET" | "POST" | "PATCH" | "DELETE";
  /** Absolute path with query. */
  path: string;
  accept?: string;
  body?: { type: "application/json" | "application/merge-patch+json" | "application/json-patch+json"; json: string };
  signal: AbortSignal;
  /** The longest wait for the first byte, and between bytes. */
  timeoutMs?: number;
  /** The longest wait for the first byte, if shorter. */
  headersTimeoutMs?: number;
  /** The run that sends it, for the API server's audit log. */
  runId?: string;
  /** Replaces the shared dispatcher. */
  dispatcher?: Connection["dispatcher"];
}

export interface ClusterResponse {
  json: unknown;
  /** The server's clock, ms since the epoch; null without a Date header. */
  serverTime: number | null;
}

const TIMEOUT_MS = 30_000;

/**
 * Sends one request and reads its JSON. It doesn't follow redirects, and passes on nothing from the browser's request.
 * @throws AppError for every status other than 2xx and for network errors. An abort throws the signal's reason.
 */
export async function requestJson(connection: Connection, options: ClusterRequest): Promise<ClusterResponse> {
  const { headers, text } = await readWhole(connection, options);
  try {
    const json: unknown = JSON.parse(text);
    return { json, serverTime: dateHeader(headers.date) };
  } catch (error) {
    throw failed(error, connection, options);
  }
}

/** Like requestJson, for answers whose numbers JavaScript would round. */
export async function requestText(connection: Connection, options: ClusterRequest): Promise<{ text: string }> {
  return readWhole(connection, options);
}

/** Like requestJson, for long or endless answers: yields their lines. */
export async function* requestLines(connection: Connection, options: ClusterRequest & { onOpen?: () => void }): AsyncGenerator<string> {
  const { body } = await openStream(connection, options);
  options.onOpen?.();
  let rest = "";
  try {
    for await (const chunk of body.setEncoding("utf8")) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
  } catch (error) {
    throw failed(error, connection, options);
  }
}

function readWhole(connection: Connection, options: ClusterRequest): Promise<WholeAnswer> {
  return askSignedIn(connection, options, {
    ask: (dispatcher, toSend) => wholeAnswer(dispatcher, toSend, options.signal),
    textOf: async ({ text }) => text,
  });
}

function openStream(connection: Connection, options: ClusterRequest): Promise<Dispatcher.ResponseData> {
  return askSignedIn(connection, options, {
    // undici heeds the signal only once the request has a connection; a cancel must not wait for that.
    ask: (dispatcher, toSend) => untilAborted(dispatcher.request({ ...toSend, signal: options.signal }), options.signal),
    textOf: ({ body }) => body.text().catch(() => ""),
  });
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
  let answer = await once(false);
  if (answer.statusCode === 401 && connection.renewable) {
    // The token may have been renewed on disk, or by its plugin, since the headers were read.
    await textOf(answer);
    answer = await once(true);
  }
  if (answer.statusCode >= 200 && answer.statusCode < 300) return answer;
  const error = countError(statusError(answer.statusCode, answer.headers, await textOf(answer), options));
  throw answer.statusCode === 401 && !connection.renewable ? tokenRefused(error) : error;
}

/** Translates and counts an error; an abort stays as it is. */
function failed(error: unknown, connection: Connection, options: ClusterRequest): unknown {
  const told = transportError(error, connection, options);
  return options.signal.aborted ? told : countError(told);
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
      ...(await untilAborted(connection.authHeaders({ renew }), signal)),
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
