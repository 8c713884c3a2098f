import { z } from "zod";

export const errorCodes = [
  "invalid_input",
  "unauthenticated",
  "forbidden",
  "request_refused",
  "not_found",
  "conflict",
  "precondition_failed",
  "too_large",
  "too_many_requests",
  "unsupported_media_type",
  "cluster_rejected",
  "cluster_unreachable",
  "cluster_timeout",
  "internal",
] as const;
export type ErrorCode = (typeof errorCodes)[number];

export const errorBodySchema = z.object({
  error: z.object({
    code: z.enum(errorCodes),
    message: z.string(),
    /** The cluster's message, verbatim. */
    cause: z.string().optional(),
    nextStep: z.string().optional(),
    details: z.record(z.string(), z.unknown()).optional(),
  }),
});
export type ErrorBody = z.infer<typeof errorBodySchema>;
