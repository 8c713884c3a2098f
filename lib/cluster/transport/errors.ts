import { z } from "zod";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { AppError, errorMessage, isAppError } from "#lib/contract/app-error.ts";
import type { ErrorCode } from "#lib/contract/error.ts";
import { plainText } from "./plain-text.ts";

/** The parts of a Kubernetes Status that decide. Source: kubernetes.io API reference, Status v1 meta. */
const statusSchema = z.object({
  // The API server's own time-out leaves the kind out: apiserver/pkg/server/filters/timeout.go.
  kind: z.literal("Status").optional(),
  status: z.literal("Failure").optional(),
  message: z.string().default(""),
  reason: z.string().default(""),
  details: z
    .object({
      name: z.string().optional(),
      kind: z.string().optional(),
      retryAfterSeconds: z.number().optional(),
      causes: z.array(z.object({ field: z.string().default(""), message: z.string().default("") })).catch([]),
    })
    .default({ causes: [] }),
  metadata: z.object({ continue: z.string().optional() }).default({}),
});

/** What the API server answered, kept beside the code for those who decide on it inside lib/cluster and lib/rewrite. */
export interface ClusterAnswer {
  status: number;
  /** Status.reason; empty when the body was no Status. */
  reason: string;
  message: string;
  /** What is wrong with which field, as in `spec.versions[0].deprecationWarning`. */
  fields: { field: string; message: string }[];
  /** The object that a Status names. */
  name: string | null;
  retryAfterMs: number | null;
  /** On an expired list: the token that goes on with an inconsistent list. */
  inconsistentContinue: string | null;
}

/** An error with the answer behind it. */
type AnsweredError = AppError & { answer: ClusterAnswer };

/** The API server's answer behind an error, or null when there was none (network, time-out, our own refusal). */
export function clusterAnswer(error: unknown): ClusterAnswer | null {
  return isAppError(error) && "answer" in error ? (error as AnsweredError).answer : null;
}

/** Whether the answer says that an object can't be converted: in lists, patches and gets alike. */
export function isConversionFailure(answer: ClusterAnswer): boolean {
  const aboutConversion = answer.message.includes("conversion webhook for") || answer.message.includes("conversion for ");
  return aboutConversion && (answer.status === 500 || answer.status === 429);
}

/**
 * What the API server itself puts behind "failed: " when it could not ask a conversion webhook, or can't use its answer. Sources:
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
 * Whether a conversion webhook said no by itself: its answer was in order, and was a failure with a message, which the API server passes
 * on. One that is not reached, answers something else or changes what it must not is broken, whichever object it was asked for.
 */
export function isConversionRefusal(answer: ClusterAnswer): boolean {
  const words = isConversionFailure(answer) ? /conversion webhook for \S+, Kind=\S+ failed: (.*)/s.exec(answer.message)?.[1] : undefined;
  return words !== undefined && !OWN_WORDS.test(words);
}

/** Of one answer; a schema that is all wrong has hundreds. */
const MAX_FIELDS = 50;

/** A status that is not 2xx, as the error that it means. */
export function statusError(
  status: number,
  headers: Record<string, string | string[] | undefined>,
  body: string,
  request: { method?: string; path: string },
): AnsweredError {
  const answer = readAnswer(status, headers, body);
  const what = `${request.method ?? "GET"} ${request.path.split("?")[0]}`;
  const error = new AppError(codeOf(answer), sentenceOf(status, what), {
    clusterMessage: answer.message || `HTTP ${status}`,
    nextStep: nextStepOf(status),
    ...(answer.fields.length > 0 && { details: { fields: answer.fields } }),
  });
  return Object.assign(error, { answer });
}

/** What the network or the clock did, as the error that it means; an abort stays what it is. */
export function transportError(error: unknown, connection: Connection, request: { signal: AbortSignal; path: string }): unknown {
  if (isAppError(error) || request.signal.aborted) return request.signal.aborted ? request.signal.reason : error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "UND_ERR_HEADERS_TIMEOUT" || code === "UND_ERR_BODY_TIMEOUT") {
    return new AppError("cluster_timeout", `The API server ${connection.server} did not answer in time.`, {
      clusterMessage: errorMessage(error),
      nextStep: "Retry; if it stays so, look at the API server's load.",
      cause: error,
    });
  }
  return new AppError("cluster_unreachable", `The API server ${connection.server} can't be reached.`, {
    clusterMessage: code ? `${code}: ${errorMessage(error)}` : errorMessage(error),
    nextStep: `Check the network, a VPN or a tunnel; \`kubectl --context '${connection.name}' version\` must work.`,
    cause: error,
  });
}

function readAnswer(status: number, headers: Record<string, string | string[] | undefined>, body: string): ClusterAnswer {
  const parsed = statusSchema.refine(({ kind, status }) => kind ?? status).safeParse(parseJson(body));
  const retryAfter = Number(headers["retry-after"]);
  const retryAfterMs = Number.isFinite(retryAfter) && retryAfter > 0 ? retryAfter * 1_000 : null;
  if (!parsed.success) {
    const message = plainText(body.slice(0, 300).trim());
    return { status, reason: "", message, fields: [], name: null, retryAfterMs, inconsistentContinue: null };
  }
  const { message, reason, details, metadata } = parsed.data;
  return {
    status,
    reason,
    message: plainText(message),
    fields: details.causes
      .filter(({ field }) => field !== "")
      .slice(0, MAX_FIELDS)
      .map((cause) => ({ field: plainText(cause.field), message: plainText(cause.message) })),
    name: details.name ?? null,
    retryAfterMs: retryAfterMs ?? (details.retryAfterSeconds ? details.retryAfterSeconds * 1_000 : null),
    inconsistentContinue: metadata.continue || null,
  };
}

function codeOf(answer: ClusterAnswer): ErrorCode {
  const { status, reason } = answer;
  if (status === 401) return "unauthenticated";
  if (status === 403) return "forbidden";
  if (status === 404) return "not_found";
  if (status === 409) return "conflict";
  if (status === 504 || status === 408) return "cluster_timeout";
  if (isConversionFailure(answer)) return "cluster_rejected";
  // A 500 with a reason is the API server's own word; other 5xx come from something before it.
  if (status === 429 || (status >= 500 && !(status === 500 && reason))) return "cluster_unreachable";
  return "cluster_rejected";
}

function sentenceOf(status: number, what: string): string {
  if (status === 401) return "The cluster does not accept the credentials.";
  if (status === 403) return `The cluster does not allow ${what}.`;
  if (status === 404) return `The cluster has nothing at ${what}.`;
  if (status === 409) return "Somebody changed it in the meantime.";
  if (status === 429 || status >= 500) return `The API server could not answer ${what}.`;
  return `The API server rejected ${what}.`;
}

function nextStepOf(status: number): string {
  if (status === 401) return "Sign in again with your provider's command line, then retry.";
  if (status === 403) return "Ask for a role that allows this; the cause names the verb and the resource.";
  if (status === 404) return "Reload: it may have been deleted, or that version is not served any more.";
  if (status === 409) return "Look at what changed, then retry.";
  if (status === 429 || status >= 500) return "Read the cause; retry once it is mended.";
  return "Read the cause, mend it, and retry.";
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
