import { z } from "zod";
import type { RewriteRecord } from "#lib/domain/rewrite.ts";
import { runSchema } from "./run.ts";
import { time } from "./time.ts";

const identity = { uid: z.string(), generation: z.int(), storageVersion: z.string() };

export const proofSchema = z.object({
  ...identity,
  settleResourceVersion: z.string(),
  settleSeconds: z.number(),
  verifiedResourceVersion: z.string(),
  objects: z.int(),
  verify: z.enum(["settle-point", "every-object"]),
  provenAt: time,
  runId: z.string(),
});

/** The JSON in the CRD's annotation `crdshift.dev/rewrite`. */
export const rewriteRecordSchema: z.ZodType<RewriteRecord> = z.object({
  holder: z.string().nullable(),
  generationSeen: z.object({ generation: z.int(), at: time }).nullable(),
  settlePoint: z.object({ ...identity, resourceVersion: z.string(), takenAt: time, settleSeconds: z.number() }).nullable(),
  proof: proofSchema.nullable(),
  prune: z.object({ versions: z.array(z.string()), prunedAt: time }).nullable(),
  runs: z.array(runSchema),
});
