import { z } from "zod";
import { count } from "#lib/contract/count.ts";
import { rejectionGroupSchema } from "#lib/contract/object-name.ts";
import { time } from "#lib/contract/time.ts";
import { lossKinds } from "#lib/domain/losses/losses.ts";
import type { Sample } from "#lib/domain/losses/sample-of.ts";
import { runEngines } from "#lib/domain/rewrite/engines.ts";
import { paces } from "#lib/domain/rewrite/pace.ts";
import { runPhases } from "#lib/domain/rewrite/run.ts";
import type { SentPatches } from "#lib/domain/rewrite/sent-patches.ts";
import { delegationSchema } from "./migration.ts";

/** Of the objects that a rewrite would patch, those that a dry run looked at. */
export const sampleSchema: z.ZodType<Sample> = z.object({ checked: count, total: count });

export const acceptedLossesSchema = z.object({
  by: z.string(),
  at: time,
  dryRun: z.string().nullable(),
  losses: z.array(z.object({ kind: z.enum(lossKinds), path: z.string(), objects: z.int() })),
  more: count,
  sample: sampleSchema.nullable().default(null),
  unseen: z.boolean().default(false),
  of: z.object({ uid: z.string(), generation: z.int(), storageVersion: z.string() }).nullable().default(null),
  signature: z.string().nullable().default(null),
});

export const givenReasonSchema = z.object({ text: z.string(), by: z.string(), at: time });

const sentPatchesSchema: z.ZodType<SentPatches> = z.object({
  rewrite: count,
  verify: count,
  status: count,
  ownership: count,
  dryRun: count,
  atLeast: z.boolean(),
  tested: z.boolean().nullable().default(null),
});

/** Outcomes by object; null means not yet known. */
export const runCountsSchema = z.object({
  total: count.nullable(),
  rewritten: count,
  alreadyCurrent: count,
  gone: count,
  rejected: count,
  remaining: count.nullable(),
});

export const runSchema = z.object({
  id: z.string(),
  crd: z.string(),
  phase: z.enum(runPhases),
  engine: z.enum(runEngines),
  storageVersion: z.string(),
  startedBy: z.string(),
  startedAt: time,
  settledAt: time.nullable(),
  endedAt: time.nullable(),
  settleResourceVersion: z.string().nullable(),
  counts: runCountsSchema,
  ratePerSecond: z.number().nullable(),
  etaSeconds: z.number().nullable(),
  statusReason: z.string().nullable(),
  settlesAt: time.nullable(),
  renewedAt: time,
  verify: z.enum(["settle-point", "every-object"]),
  rejections: z.array(rejectionGroupSchema),
  // A record of an earlier crdshift has none of these.
  retryAt: time.nullable().default(null),
  maxPerSecond: z.int().min(1).nullable().default(null),
  pace: z.enum(paces).default("normal"),
  command: z.enum(["pause", "cancel"]).nullable().default(null),
  rates: z.object({ everySeconds: z.number(), perSecond: z.array(z.number()) }).default({ everySeconds: 1, perSecond: [] }),
  throughStatus: z.object({ allowed: z.boolean(), objects: count }).default({ allowed: false, objects: 0 }),
  ownership: z.object({ keep: z.boolean(), kept: count, lost: count }).default({ keep: false, kept: 0, lost: 0 }),
  acceptedLosses: acceptedLossesSchema.nullable().default(null),
  dryRun: z.string().nullable().default(null),
  heldBackBecause: z.string().nullable().default(null),
  takenOverAt: time.nullable().default(null),
  delegation: delegationSchema.nullable().default(null),
  sent: sentPatchesSchema.nullable().default(null),
  rewrittenAtLeast: z.boolean().default(false),
  provenObjects: z.int().nullable().default(null),
  crdshiftVersion: z.string().nullable().default(null),
  reasons: z.array(givenReasonSchema).default([]),
  interruptions: z.array(z.object({ at: time, because: z.string().nullable(), remaining: z.int().nullable() })).default([]),
  caveats: z.array(z.string()).default([]),
});
export type Run = z.infer<typeof runSchema>;

export const runListSchema = z.object({ items: z.array(runSchema) });

/** In characters; crdshift's own are UUIDs. */
const ID_MAX_LENGTH = 100;

/** The highest rate, in objects per second. */
export const MOST_PER_SECOND = 100_000;
const maxPerSecondSchema = z.int().min(1).max(MOST_PER_SECOND).nullable();

/** Body of POST …/rewrites. Unknown fields are refused rather than ignored: a client must not believe they are in force. */
export const startRewriteSchema = z.strictObject({
  /** Who patches the objects: crdshift (default) or the cluster's own StorageVersionMigration. crdshift verifies either way. */
  engine: z.enum(runEngines).optional(),
  /** Maximum objects per second; null or absent: as many as the pace allows. */
  maxPerSecond: maxPerSecondSchema.optional(),
  /** How much of the API server it takes; normal by default. */
  pace: z.enum(paces).optional(),
  /** Accepts the losses that the recorded dry run lists; refused if the current definition has none. The proof records it. */
  acceptLosses: z.boolean().optional(),
  /** Accepts what no dry run can show, unseen, beside the listed losses. Nothing is checked before it is written; the proof records it. */
  acceptUnseen: z.boolean().optional(),
  /** The dry run whose losses were accepted; refused when a newer one is recorded. */
  dryRun: z.string().max(ID_MAX_LENGTH).optional(),
  /** Carry over managedFields that the rewrite would lose. */
  keepOwnership: z.boolean().optional(),
  /** Retry rejected objects through `/status`, if the storage version has that subresource. */
  throughStatus: z.boolean().optional(),
  verify: z.enum(["settle-point", "every-object"]).optional(),
});
export type StartRewrite = z.infer<typeof startRewriteSchema>;

export const startedRewriteSchema = z.object({ id: z.string() });

/** Body of PATCH …/rewrites/{id}: applies from the next object. What is absent stays as it is. */
export const changeRewriteSchema = startRewriteSchema
  .pick({ maxPerSecond: true, pace: true })
  .refine(({ maxPerSecond, pace }) => maxPerSecond !== undefined || pace !== undefined, "Set maxPerSecond, pace, or both.");
export type ChangeRewrite = z.infer<typeof changeRewriteSchema>;

/** Body of POST …/rewrites/{id}/resume. */
export const resumeRewriteSchema = startRewriteSchema.pick({ acceptLosses: true, acceptUnseen: true, dryRun: true });
export type ResumeRewrite = z.infer<typeof resumeRewriteSchema>;
