import type { Connection } from "#lib/cluster/connection/connection.ts";
import { AppError, errorMessage, isAppError } from "#lib/contract/app-error.ts";
import type { ErrorCode } from "#lib/contract/error.ts";
import { shellQuoted } from "#lib/domain/wording/shell-quoted.ts";
import type { AnsweredError, ClusterAnswer } from "./cluster-answer.ts";
import { isConversionFailure } from "./conversion-failures.ts";
import { readAnswer } from "./read-answer.ts";
import { isAdmissionDenial } from "./refused-writes.ts";

/** The error for a status other than 2xx. */
export function statusError(
  status: number,
  headers: Record<string, string | string[] | undefined>,
  body: string,
  request: { method?: string; path: string },
): AnsweredError {
  const answer = readAnswer(status, headers, body);
  const what = `${request.method ?? "GET"} ${request.path.split("?")[0]}`;
  const code = codeOf(answer);
  // A webhook's own 401 says nothing of our credentials.
  const meaning = status === 401 && code !== "unauthenticated" ? 400 : status;
  const error = new AppError(code, sentenceOf(meaning, what), {
    clusterMessage: answer.message || `HTTP ${status}`,
    nextStep: nextStepOf(meaning),
    ...(answer.fields.length > 0 && { details: { fields: answer.fields } }),
  });
  return Object.assign(error, { answer });
}

/** The error for a network failure or timeout; an abort stays as it is. */
export function transportError(error: unknown, connection: Connection, request: { signal: AbortSignal; path: string }): unknown {
  if (isAppError(error) || request.signal.aborted) return request.signal.aborted ? request.signal.reason : error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "UND_ERR_HEADERS_TIMEOUT" || code === "UND_ERR_BODY_TIMEOUT") {
    return noAnswerInTime(connection, error);
  }
  return new AppError("cluster_unreachable", `The API server ${connection.server} can't be reached.`, {
    clusterMessage: code ? `${code}: ${errorMessage(error)}` : errorMessage(error),
    nextStep: `Check your network, VPN or tunnel; \`kubectl --context ${shellQuoted(connection.name)} version\` must work.`,
    cause: error,
  });
}

/** The error, in words for people if the signal of a request ended it because its time was up; any other abort stays as it is. */
export function inWordsIfTimedOut(error: unknown, connection: Pick<Connection, "server">): unknown {
  return error instanceof Error && error.name === "TimeoutError" ? noAnswerInTime(connection, error) : error;
}

function noAnswerInTime({ server }: Pick<Connection, "server">, error: unknown): AppError {
  return new AppError("cluster_timeout", `The API server ${server} didn't answer in time.`, {
    clusterMessage: errorMessage(error),
    nextStep: "Retry. If it keeps timing out, check the API server's load.",
    cause: error,
  });
}

function codeOf(answer: ClusterAnswer): ErrorCode {
  const { status, reason } = answer;
  if (status === 401) return isAdmissionDenial(answer) ? "cluster_rejected" : "unauthenticated";
  if (status === 403) return "forbidden";
  if (status === 404) return "not_found";
  if (status === 409) return "conflict";
  if (status === 504 || status === 408) return "cluster_timeout";
  if (isConversionFailure(answer)) return "cluster_rejected";
  // A 500 with a reason comes from the API server; other 5xx come from something in front of it.
  if (status === 429 || (status >= 500 && !(status === 500 && reason))) return "cluster_unreachable";
  return "cluster_rejected";
}

function sentenceOf(status: number, what: string): string {
  if (status === 401) return "The cluster rejected the credentials.";
  if (status === 403) return `The cluster denied ${what}.`;
  if (status === 404) return `The cluster found nothing for ${what}.`;
  if (status === 409) return "The object changed in the meantime.";
  if (status === 429 || status >= 500) return `The API server failed to answer ${what}.`;
  return `The API server rejected ${what}.`;
}

function nextStepOf(status: number): string {
  if (status === 401) return "Sign in again with your provider's CLI, then retry.";
  if (status === 403) return "Ask for a role that allows this; the cause names the verb and the resource.";
  if (status === 404) return "Reload. It may have been deleted, or that version may no longer be served.";
  if (status === 409) return "Check what changed, then retry.";
  if (status === 429 || status >= 500) return "Check the cause, and retry once it is fixed.";
  return "Fix the cause, then retry.";
}
