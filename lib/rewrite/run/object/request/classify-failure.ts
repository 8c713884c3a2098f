import { type ClusterAnswer, clusterAnswer } from "#lib/cluster/transport/cluster-answer.ts";
import { isConversionFailure } from "#lib/cluster/transport/conversion-failures.ts";
import { isAdmissionDenial, isTooLargeForEtcd, lacksRoomForAnnotations } from "#lib/cluster/transport/refused-writes.ts";
import { isAnswerTooLarge } from "#lib/cluster/transport/whole-answer.ts";
import { asksToSignIn, errorMessage, errorWords, isAppError } from "#lib/contract/app-error.ts";
import { UnreadableJson } from "#lib/domain/exact-json/exact-json.ts";
import type { ObjectName } from "#lib/domain/rewrite/run.ts";

/** What a failed request means for the rewrite. */
export type Failure =
  /** The object no longer exists: only a Status NotFound that names it counts. */
  | { kind: "gone" }
  /** The server refused this object. */
  | { kind: "rejected"; reason: string; message: string }
  /** Retry this object; the others continue. */
  | { kind: "retry"; reason: string; message: string; afterMs: number | null }
  /** No request can succeed now, so all wait. If `reason` is not null and others succeed, it may be a problem of this object only. */
  | { kind: "wait"; reason: string | null; message: string; afterMs: number | null }
  /** The run's token has ended: a person has to sign in and resume. */
  | { kind: "interrupt"; message: string }
  /** The rewrite can't continue. */
  | { kind: "stop"; message: string };

/** Reasons of objects that the API server has answered with, and that crdshift can't read. */
export const UNREADABLE: readonly string[] = ["NestedTooDeep", "TooManyValues", "TooLarge"];

/** A webhook may ask for any wait, even for a day. It is about one object, so a short one does. */
const MAX_WAIT_FOR_WEBHOOK_MS = 5_000;

const REDIRECTED =
  "Something in front of the API server redirects crdshift's requests, as a gateway does once its session has ended: sign in there again.";

/** Decides by status and reason; by the message only if the API server offers nothing else. */
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
        return { kind: "wait", reason: "Unreachable", message, afterMs: null };
      default:
        return object && isAnswerTooLarge(error) ? { kind: "rejected", reason: "TooLarge", message } : { kind: "stop", message };
    }
  }
  if (object && error instanceof UnreadableJson) return { kind: "rejected", reason: error.reason, message: error.message };
  return { kind: "stop", message: errorMessage(error) };
}

function classifyAnswer(answer: ClusterAnswer, object: ObjectName | null): Failure {
  const { status, message, retryAfterMs: afterMs } = answer;
  const reason = answer.reason || `HTTP ${status}`;
  // Either this object can't be converted or the webhook is down; retries show which.
  if (isConversionFailure(answer)) {
    return object
      ? { kind: "retry", reason, message, afterMs }
      : { kind: "wait", reason: null, message: `Objects can't be converted: ${message}`, afterMs };
  }
  if (!object && lacksRoomForAnnotations(answer)) {
    return {
      kind: "wait",
      reason: null,
      message: `The definition's annotations leave no room for the rewrite's record: ${message}`,
      afterMs,
    };
  }
  if (object && isAdmissionDenial(answer)) {
    // What a webhook says of its own troubles may be temporary; anything else is its no, whatever status it chose.
    const mayBeTemporary = status === 408 || status === 409 || status === 429 || status >= 500;
    if (!mayBeTemporary) return { kind: "rejected", reason, message };
    return { kind: "retry", reason, message, afterMs: afterMs === null ? null : Math.min(afterMs, MAX_WAIT_FOR_WEBHOOK_MS) };
  }
  // What a new default, say, adds to the object, would be there with each try.
  if (object && isTooLargeForEtcd(answer)) return { kind: "rejected", reason, message };
  if (answer.isEarlyDenial) {
    return object
      ? { kind: "retry", reason, message, afterMs }
      : { kind: "wait", reason: null, message: `The API server denies what it granted before: ${message}`, afterMs };
  }
  // The API server redirects nothing about objects and definitions.
  if (status >= 300 && status < 400) return { kind: "wait", reason: null, message: REDIRECTED, afterMs };
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
      return { kind: "stop", message: `The version is no longer served: ${message}` };
    case 409:
    case 500:
      return object ? { kind: "retry", reason, message, afterMs } : { kind: "wait", reason: null, message, afterMs };
    case 429:
      return { kind: "wait", reason: null, message: `The API server asked crdshift to slow down: ${message}`, afterMs };
    case 408:
    case 502:
    case 503:
    case 504:
      return { kind: "wait", reason, message: `The API server can't respond right now: ${message}`, afterMs };
    default:
      return object ? { kind: "rejected", reason, message } : { kind: "stop", message };
  }
}
