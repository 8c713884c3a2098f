import { z } from "zod";
import { rejectionGroupSchema } from "#lib/contract/object-name.ts";
import { time } from "#lib/contract/time.ts";
import type { RewriteReport } from "#lib/domain/audit/report.ts";
import { runEngines } from "#lib/domain/rewrite/engines.ts";
import { paces } from "#lib/domain/rewrite/pace.ts";
import { runPhases } from "#lib/domain/rewrite/run.ts";
import { patchPurposes } from "#lib/domain/rewrite/sent-patches.ts";
import { lossSchema } from "./dry-run.ts";
import { delegationSchema } from "./migration.ts";
import { dryRunRecordSchema, proofSchema, pruneRecordSchema } from "./rewrite-record.ts";
import { acceptedLossesSchema, givenReasonSchema, runCountsSchema } from "./run.ts";

const verdictSchema = z.discriminatedUnion("state", [
  z.object({ state: z.literal("proven"), proof: proofSchema, invalidBecause: z.string().nullable() }),
  z.object({ state: z.literal("replaced"), because: z.string() }),
  z.object({ state: z.literal("claimed"), because: z.string() }),
  z.object({ state: z.literal("not-proven"), because: z.string() }),
  z.object({ state: z.literal("at-work"), because: z.string() }),
]);

const patchSchema = z.object({
  purpose: z.enum(patchPurposes),
  method: z.literal("PATCH"),
  path: z.string(),
  contentType: z.enum(["application/merge-patch+json", "application/json-patch+json"]),
  body: z.string(),
  testedBody: z.string().nullable(),
  tested: z.boolean().nullable(),
  /** Null: unknown, which is not 0. */
  count: z.int().nullable(),
  atLeast: z.boolean(),
});

const pruneSchema = z.discriminatedUnion("state", [
  z.object({ state: z.literal("pruned"), prune: pruneRecordSchema }),
  z.object({ state: z.literal("none") }),
  z.object({ state: z.literal("unknown") }),
]);

/** Response of GET …/rewrites/{id}/report. */
export const reportSchema: z.ZodType<RewriteReport> = z.object({
  format: z.literal(1),
  madeAt: time,
  madeWith: z.string(),
  asOf: time,
  cluster: z.object({ context: z.string(), server: z.string(), version: z.string().nullable() }),
  definition: z.object({
    name: z.string(),
    kind: z.string(),
    scope: z.enum(["Namespaced", "Cluster"]),
    uid: z.string(),
    generation: z.int().nullable(),
    storageVersion: z.string(),
    storedVersions: z.array(z.string()),
  }),
  run: z.object({
    id: z.string(),
    engine: z.enum(runEngines),
    crdshiftVersion: z.string().nullable(),
    phase: z.enum(runPhases),
    startedBy: z.string().nullable(),
    startedAt: time,
    settledAt: time.nullable(),
    endedAt: time.nullable(),
    verify: z.enum(["settle-point", "every-object"]),
    dryRun: z.string().nullable(),
    keepOwnership: z.boolean(),
    throughStatus: z.boolean(),
    maxPerSecond: z.int().nullable(),
    pace: z.enum(paces),
    takenOverAt: time.nullable(),
    delegation: delegationSchema.nullable(),
    reasons: z.array(givenReasonSchema),
  }),
  verdict: verdictSchema,
  warnings: z.array(z.string()),
  settlePoint: z.object({ resourceVersion: z.string(), takenAt: time.nullable(), settleSeconds: z.number().nullable() }).nullable(),
  outcomes: runCountsSchema.extend({
    alreadyCurrent: z.int().nullable(),
    verified: z.int().nullable(),
    throughStatus: z.int(),
    ownershipKept: z.int(),
    ownershipLost: z.int(),
    rewrittenAtLeast: z.boolean(),
    mayBeMore: z.boolean(),
  }),
  rejections: z.array(rejectionGroupSchema),
  acceptedLosses: acceptedLossesSchema.nullable(),
  dryRun: dryRunRecordSchema.nullable(),
  losses: z.array(lossSchema).nullable(),
  patches: z.array(patchSchema),
  prune: pruneSchema,
});
