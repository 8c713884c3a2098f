import { type ClusterAnswer, clusterAnswer, isConversionFailure } from "#lib/cluster/transport/errors.ts";
import { asksToSignIn, errorMessage, errorWords, isAppError } from "#lib/contract/app-error.ts";
import type { ObjectName } from "#lib/domain/rewrite/run.ts";

/** What a failed request means for the rewrite. */
export type Failure =
  /** The object does not exist any more: a Status NotFound that names it, and nothing else. */
  | { kind: "gone" }
  /** The server's no for this object. */
  | { kind: "rejected"; reason: string; message: string }
  /** Worth another try of this object; the others go on. */
  | { kind: "retry"; reason: string; message: string; afterMs: number | null }
  /** No request has a chance now; all wait. Where `reason` is not null it may be this object's own trouble after all: others succeed. */
  | { kind: "wait"; reason: string | null; message: string; afterMs: number | null }
  /** The token that it works with is over: a person has to sign in and resume. */
  | { kind: "interrupt"; message: string }
  /** The rewrite can't go on. */
  | { kind: "stop"; message: string };

/** Decides by status and reason; by the message only where the API server offers nothing else. */
export function classifyFailure(error: unknown, object: ObjectName | null): Failure {
  const answer = clusterAnswer(error);
  if (answer) return classifyAnswer(answer, object);
  if (isAppError(error)) {
    const message = errorWords(error);
    switch (error.code) {
      case "cluster_timeout":
        return { kind: "wait", reason: "Timeout", message, afterMs: null };
      case "unauthenticated":
        if (asksToSignIn(error)) return { kind: "interrupt", message };
        return { kind: "wait", reason: null, message, afterMs: null };
      case "cluster_unreachable":
        return { kind: "wait", reason: null, message, afterMs: null };
      default:
        return { kind: "stop", message };
    }
  }
  return { kind: "stop", message: errorMessage(error) };
}

function classifyAnswer(answer: ClusterAnswer, object: ObjectName | null): Failure {
  const { status, message, retryAfterMs: afterMs } = answer;
  const reason = answer.reason || `HTTP ${status}`;
  // One object may be unconvertible, or the webhook may be down for all: the retries tell.
  if (isConversionFailure(answer)) {
    return object
      ? { kind: "retry", reason, message, afterMs }
      : { kind: "wait", reason: null, message: `Objects can't be converted: ${message}`, afterMs };
  }
  switch (status) {
    case 401:
      return {
        kind: "wait",
        reason: null,
        message: `The cluster does not accept the credentials: sign in again. ${message}`,
        afterMs: 5_000,
      };
    case 404:
      if (object && answer.reason === "NotFound" && answer.name === object.name) return { kind: "gone" };
      return { kind: "stop", message: `The version is not served any more: ${message}` };
    case 409:
    case 500:
      return object ? { kind: "retry", reason, message, afterMs } : { kind: "wait", reason: null, message, afterMs };
    case 429:
      return { kind: "wait", reason: null, message: `The API server asks to slow down: ${message}`, afterMs };
    case 408:
    case 502:
    case 503:
    case 504:
      return { kind: "wait", reason, message: `The API server can't answer now: ${message}`, afterMs };
    default:
      return object ? { kind: "rejected", reason, message } : { kind: "stop", message };
  }
}
