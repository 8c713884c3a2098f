import { z } from "zod";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { AppError, errorMessage, isAppError } from "#lib/contract/app-error.ts";
import type { ErrorCode } from "#lib/contract/error.ts";
import { conversionFailureIn } from "#lib/domain/conversion/conversion-failure.ts";
import { shellQuoted } from "#lib/domain/wording/shell-quoted.ts";
import { boundedText } from "./bounded-text.ts";
import { completedJson } from "./cut-json.ts";
import { plainText } from "./plain-text.ts";

/** A webhook may name as many as it likes; more than crdshift shows, since some name no field. */
const MOST_CAUSES = 500;

/** The parts of a Kubernetes Status that crdshift uses. Source: kubernetes.io API reference, Status v1 meta. */
const statusSchema = z.object({
  // The API server's own timeout omits the kind: apiserver/pkg/server/filters/timeout.go.
  kind: z.literal("Status").optional(),
  status: z.literal("Failure").optional(),
  message: z.string().default(""),
  reason: z.string().default(""),
  details: z
    .object({
      name: z.string().optional(),
      kind: z.string().optional(),
      retryAfterSeconds: z.number().optional(),
      causes: z
        .unknown()
        .optional()
        .transform((causes) => (Array.isArray(causes) ? causes.slice(0, MOST_CAUSES) : []))
        .pipe(z.array(z.object({ field: z.string().default(""), message: z.string().default("") })).catch([])),
    })
    .default({ causes: [] }),
  metadata: z.object({ continue: z.string().optional() }).default({}),
});

/** The API server's answer, kept with the error for decisions in lib/cluster and lib/rewrite. */
export interface ClusterAnswer {
  status: number;
  /** Status.reason; empty if the body isn't a Status, `Unknown` if it was cut before its reason. */
  reason: string;
  message: string;
  /** The problem with each field, such as `spec.versions[0].deprecationWarning`. */
  fields: { field: string; message: string }[];
  /** The object named in the Status. */
  name: string | null;
  retryAfterMs: number | null;
  /** For an expired list: the token that continues with an inconsistent list. */
  inconsistentContinue: string | null;
  /**
   * Whether it denies what was granted before, just after the API server couldn't be reached, so that it may be temporary: early-denial.ts.
   */
  isEarlyDenial?: boolean;
}

/** An error with the API server's answer. */
type AnsweredError = AppError & { answer: ClusterAnswer };

/** The API server's answer that caused an error, or null if there was none (network, timeout, refused by crdshift). */
export function clusterAnswer(error: unknown): ClusterAnswer | null {
  return isAppError(error) && "answer" in error ? (error as AnsweredError).answer : null;
}

/** An error in crdshift's own words that keeps the API server's answer to decide by. */
export function withAnswer(error: AppError, answer: ClusterAnswer): AppError {
  return Object.assign(error, { answer });
}

/** The error as if the API server had answered so about this object alone: with `status`, `reason`, and the error's message. */
export function asAnswerAbout({ name }: { name: string }, answer: Pick<ClusterAnswer, "status" | "reason">, error: AppError): AppError {
  return withAnswer(error, { ...answer, message: error.message, name, fields: [], retryAfterMs: null, inconsistentContinue: null });
}

/** Whether the answer says that an object can't be converted, in a list, patch or get. */
export function isConversionFailure(answer: ClusterAnswer): boolean {
  return (answer.status === 500 || answer.status === 429) && conversionFailureIn(answer.message) !== null;
}

/**
 * Whether an admission webhook or policy denied a write. Both choose status, reason and details freely: a webhook's NotFound may name a
 * Secret. Sources: apiserver/pkg/admission/plugin/webhook/errors/statuserror.go (ToStatusErr), plugin/policy/validating/dispatcher.go.
 */
export function isAdmissionDenial({ message }: ClusterAnswer): boolean {
  return /^admission webhook "[^"]*" denied the request|(Validating|Mutating)AdmissionPolicy '[^']*' with binding '[^']*' denied request/.test(
    message,
  );
}

/** Whether the API server refused a write because all annotations of the object share 256 KiB. */
export function lacksRoomForAnnotations({ status, fields }: ClusterAnswer): boolean {
  return status === 422 && fields.some(({ field, message }) => field === "metadata.annotations" && /^too long/i.test(message));
}

/** Whether etcd refused a write because the whole object is too large for it. Source: etcd api/v3/v3rpc/rpctypes/error.go. */
export function isTooLargeForEtcd({ message }: ClusterAnswer): boolean {
  return message.includes("etcdserver: request is too large");
}

/**
 * Whether the answer to a write says that nothing was stored: also if an admission webhook or policy denied it, or its webhook can't be
 * called, or etcd took no object of that size. Something in front of the API server may answer 408 or 5xx for it.
 * Source: apiserver/pkg/admission/plugin/webhook/errors/statuserror.go.
 */
export function isRefusedBeforeStored(answer: ClusterAnswer): boolean {
  if (isConversionFailure(answer)) return false;
  if (answer.status < 500) return answer.status !== 408;
  const isUncalled = /^Internal error occurred: failed calling webhook "/.test(answer.message);
  return isUncalled || isAdmissionDenial(answer) || isTooLargeForEtcd(answer);
}

/**
 * What the API server itself writes after "failed: " if it couldn't call a conversion webhook or can't use its answer. Sources:
 * apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go, client-go/rest/request.go, and of apimachinery
 * api/errors/errors.go (NewGenericServerResponse), runtime/error.go and runtime/serializer/json, all at v0.36.3.
 */
const OWN_WORDS_OF_FAILED_CONVERSION = [
  /Post "|client rate limiter |(unexpected|stream) error when reading response body|Internal error occurred: /,
  /the server (has|is|was|could|rejected|reported|does|responded)|an error on the server |unknown$|0-length response |serializer for /,
  /couldn't get version\/kind|Object 'Kind' is missing|no kind "|no version "|unable to decode |converting \(|json: |strict decoding error|yaml: /,
  /expected webhook response of |no response provided|expected response\.uid=|response\.result\.status was '|unrecognized response type: /,
];
const OWN_WORDS = new RegExp(`^(${OWN_WORDS_OF_FAILED_CONVERSION.map(({ source }) => source).join("|")})`);

/**
 * Whether a conversion webhook itself refused the object: it gave a valid answer, a failure with a message, which the API server passes
 * on. A webhook that can't be reached, gives an invalid answer or changes what it must not is broken for every object.
 */
export function isConversionRefusal(answer: ClusterAnswer): boolean {
  const words = isConversionFailure(answer) ? /conversion webhook for \S+, Kind=\S+ failed: (.*)/s.exec(answer.message)?.[1] : undefined;
  return words !== undefined && !OWN_WORDS.test(words);
}

/** Per answer; an invalid schema can have hundreds of problems. */
const MAX_FIELDS = 50;

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

/** A webhook or policy writes as much as it likes into a message; what tells failures apart is at its beginning. */
const MAX_MESSAGE = 4_096;
const CUT_REASON = "Unknown";
/** A longer Retry-After would let a run stand still without a word. */
const MAX_RETRY_AFTER_MS = 5 * 60_000;

function readAnswer(status: number, headers: Record<string, string | string[] | undefined>, body: string): ClusterAnswer {
  const whole = parseJson(body);
  const parsed = statusSchema.refine(({ kind, status }) => kind ?? status).safeParse(whole ?? parseJson(completedJson(body)));
  const waitMs = (seconds: number) => (seconds > 0 ? Math.min(seconds * 1_000, MAX_RETRY_AFTER_MS) : null);
  const retryAfterMs = waitMs(Number(headers["retry-after"]));
  if (!parsed.success) {
    const message = plainText(body.slice(0, 300).trim());
    return { status, reason: "", message, fields: [], name: null, retryAfterMs, inconsistentContinue: null };
  }
  const { message, reason, details, metadata } = parsed.data;
  return {
    status,
    // The reason comes after the message. A Status that was cut before it is the API server's own answer all the same.
    reason: reason || (whole === null ? CUT_REASON : ""),
    message: shortText(message),
    fields: details.causes
      .filter(({ field }) => field !== "")
      .slice(0, MAX_FIELDS)
      .map((cause) => ({ field: plainText(cause.field), message: shortText(cause.message) })),
    name: details.name ?? null,
    retryAfterMs: retryAfterMs ?? waitMs(details.retryAfterSeconds ?? 0),
    inconsistentContinue: metadata.continue || null,
  };
}

function shortText(text: string): string {
  return boundedText(text, MAX_MESSAGE);
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
