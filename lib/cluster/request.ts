import { request } from "undici";
import { untilAborted } from "#lib/async/until-aborted.ts";
import type { Connection } from "./connection.ts";
import { crdshiftVersion } from "./crdshift-version.ts";
import { statusError, transportError } from "./errors.ts";

export const FIELD_MANAGER = "crdshift";

export interface ClusterRequest {
  method?: "GET" | "POST" | "PATCH" | "DELETE";
  /** Absolute path with query. */
  path: string;
  accept?: string;
  body?: { type: "application/json" | "application/merge-patch+json" | "application/json-patch+json"; json: string };
  signal: AbortSignal;
  /** Until the first byte, and between bytes. */
  timeoutMs?: number;
  /** Until the first byte, where that is to be shorter. */
  headersTimeoutMs?: number;
  /** The run on whose behalf it is sent, for the API server's audit log. */
  runId?: string;
  /** Another dispatcher than the shared one. */
  dispatcher?: Connection["dispatcher"];
}

export interface ClusterResponse {
  json: unknown;
  /** The server's clock, ms since the epoch; null without a Date header. */
  serverTime: number | null;
}

const TIMEOUT_MS = 30_000;

/**
 * Sends one request and reads its JSON. Redirects are not followed; nothing of the browser's request is passed on.
 * @throws AppError for every status that is not 2xx, and for what the network does. An abort is thrown as the signal's reason.
 */
export async function requestJson(connection: Connection, options: ClusterRequest): Promise<ClusterResponse> {
  const { headers, body } = await send(connection, options);
  try {
    const json: unknown = await body.json();
    return { json, serverTime: dateHeader(headers.date) };
  } catch (error) {
    throw transportError(error, connection, options);
  }
}

/** Like requestJson, for an answer whose numbers must not be read as JavaScript's. */
export async function requestText(connection: Connection, options: ClusterRequest): Promise<{ text: string }> {
  const { body } = await send(connection, options);
  try {
    return { text: await body.text() };
  } catch (error) {
    throw transportError(error, connection, options);
  }
}

/** Like requestJson, for an answer that is long or never ends: yields its lines. */
export async function* requestLines(connection: Connection, options: ClusterRequest & { onOpen?: () => void }): AsyncGenerator<string> {
  const { body } = await send(connection, options);
  options.onOpen?.();
  let rest = "";
  try {
    for await (const chunk of body.setEncoding("utf8")) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
  } catch (error) {
    throw transportError(error, connection, options);
  }
}

async function send(connection: Connection, options: ClusterRequest) {
  let response = await sendOnce(connection, options, false);
  if (response.statusCode === 401) {
    // A token may have been renewed on disk or by its plugin since the headers were read.
    await response.body.dump();
    response = await sendOnce(connection, options, true);
  }
  if (response.statusCode >= 200 && response.statusCode < 300) return response;
  const text = await response.body.text().catch(() => "");
  throw statusError(response.statusCode, response.headers, text, options);
}

async function sendOnce(connection: Connection, options: ClusterRequest, renew: boolean) {
  const { method = "GET", path, accept = "application/json", body, signal, timeoutMs = TIMEOUT_MS, runId } = options;
  try {
    const sent = request(`${connection.server}${path}`, {
      dispatcher: options.dispatcher ?? connection.dispatcher,
      method,
      headers: {
        ...(await untilAborted(connection.authHeaders({ renew }), signal)),
        accept,
        "user-agent": runId ? `crdshift/${crdshiftVersion} (run=${runId})` : `crdshift/${crdshiftVersion}`,
        ...(body && { "content-type": body.type }),
      },
      body: body?.json ?? null,
      signal,
      headersTimeout: options.headersTimeoutMs ?? timeoutMs,
      bodyTimeout: timeoutMs,
    });
    // undici minds the signal only once a request is on a connection; a cancel must not wait for that.
    return await untilAborted(sent, signal);
  } catch (error) {
    throw transportError(error, connection, options);
  }
}

function dateHeader(value: string | string[] | undefined): number | null {
  const time = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? null : time;
}
