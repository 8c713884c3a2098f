import { z } from "zod";
import { boundedText } from "./bounded-text.ts";
import type { ClusterAnswer } from "./cluster-answer.ts";
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

/** Per answer; an invalid schema can have hundreds of problems. */
const MAX_FIELDS = 50;

/** A webhook or policy writes as much as it likes into a message; what tells failures apart is at its beginning. */
const MAX_MESSAGE = 4_096;
const CUT_REASON = "Unknown";
/** A longer Retry-After would let a run stand still without a word. */
const MAX_RETRY_AFTER_MS = 5 * 60_000;

/** The API server's answer with a status other than 2xx, bounded, from a body that may be cut or no Status at all. */
export function readAnswer(status: number, headers: Record<string, string | string[] | undefined>, body: string): ClusterAnswer {
  const whole = parseJson(body);
  const parsed = statusSchema.refine(({ kind, status }) => kind ?? status).safeParse(whole ?? parseJson(completedJson(body)));
  const waitMs = (seconds: number) => (seconds > 0 ? Math.min(seconds * 1_000, MAX_RETRY_AFTER_MS) : null);
  const retryAfterMs = waitMs(Number(headers["retry-after"]));
  if (!parsed.success) {
    const message = boundedText(body.slice(0, 1_000).trim(), 300);
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
