import { z } from "zod";
import { runPhases } from "#lib/domain/rewrite.ts";
import { time } from "./time.ts";

const objectNameSchema = z.object({ namespace: z.string(), name: z.string() });

export const runSchema = z.object({
  id: z.string(),
  crd: z.string(),
  phase: z.enum(runPhases),
  engine: z.enum(["crdshift", "in-tree"]),
  storageVersion: z.string(),
  startedBy: z.string(),
  startedAt: time,
  settledAt: time.nullable(),
  endedAt: time.nullable(),
  settleResourceVersion: z.string().nullable(),
  counts: z.object({
    total: z.int().nullable(),
    rewritten: z.int(),
    alreadyCurrent: z.int(),
    gone: z.int(),
    rejected: z.int(),
    remaining: z.int().nullable(),
  }),
  ratePerSecond: z.number().nullable(),
  etaSeconds: z.number().nullable(),
  pausedBecause: z.string().nullable(),
  settlesAt: time.nullable(),
  renewedAt: time,
  verify: z.enum(["settle-point", "every-object"]),
  rejections: z.array(z.object({ reason: z.string(), message: z.string(), count: z.int(), examples: z.array(objectNameSchema) })),
});
export type Run = z.infer<typeof runSchema>;

export const runListSchema = z.object({ items: z.array(runSchema) });

/**
 * Body of POST …/rewrites. What is not there yet is refused rather than ignored, so that nobody believes it in force; a value
 * that asks for nothing is taken.
 */
export const startRewriteSchema = z.strictObject({
  engine: z.literal("crdshift", "only the engine crdshift is there; leave engine out").optional(),
  maxPerSecond: z.null("there is no rate limit yet; leave maxPerSecond out").optional(),
  /** Nothing is known of losses before a rewrite, so there is nothing to accept. */
  acceptLosses: z.boolean().optional(),
  verify: z.enum(["settle-point", "every-object"]).optional(),
});
export type StartRewrite = z.infer<typeof startRewriteSchema>;

export const startedRewriteSchema = z.object({ id: z.string() });
