import { z } from "zod";
import { objectNameSchema, rejectionGroupSchema } from "#lib/contract/object-name.ts";
import { time } from "#lib/contract/time.ts";
import { checkNames, type DryRun, dryRunPhases, type ListedDryRun } from "#lib/domain/losses/dry-run.ts";
import { lossKinds } from "#lib/domain/losses/losses.ts";

/** JSON text, cut after 200 characters. Absent from the record of an earlier crdshift, and null in the record of this one. */
const value = z.string().nullable().default(null);

export const lossSchema = z.object({
  kind: z.enum(lossKinds),
  path: z.string(),
  objects: z.int(),
  examples: z.array(objectNameSchema.extend({ version: value, before: value, after: value })),
});

const outcomeSchema = z.object({
  total: z.int().nullable(),
  planned: z.int().nullable(),
  alreadyCurrent: z.int(),
  checked: z.int(),
  onlyRead: z.int(),
  wouldPass: z.int(),
  wouldBeRejected: z.int(),
  gone: z.int(),
  cannotDryRun: z.int(),
  rejections: z.array(rejectionGroupSchema),
  cannot: z.array(rejectionGroupSchema),
  generationRises: z.int(),
});

const wholeSchema = z.object({
  id: z.string(),
  crd: z.string(),
  uid: z.string(),
  generation: z.int(),
  storageVersion: z.string(),
  phase: z.enum(dryRunPhases),
  startedBy: z.string(),
  startedAt: time,
  endedAt: time.nullable(),
  sampleSize: z.int(),
  resourceVersion: z.string().nullable(),
  checks: z.array(z.object({ name: z.enum(checkNames), status: z.enum(["pass", "warn", "fail"]), message: z.string() })),
  dryRun: outcomeSchema,
  losses: z.array(lossSchema),
  moreLosses: z.int(),
  lossesKnown: z.boolean(),
  lossesUnknownBecause: z.string().nullable(),
  unknownMayPass: z.boolean(),
  message: z.string().nullable(),
});
export const dryRunSchema: z.ZodType<DryRun> = wholeSchema;

const listedSchema: z.ZodType<ListedDryRun> = wholeSchema
  .omit({ checks: true, losses: true })
  .extend({ dryRun: outcomeSchema.omit({ rejections: true, cannot: true }) });
export const dryRunListSchema = z.object({ items: z.array(listedSchema) });
export type { DryRun, ListedDryRun } from "#lib/domain/losses/dry-run.ts";

/** Default number of objects that a dry run tries; larger sets are sampled at random. */
export const DEFAULT_SAMPLE_SIZE = 10_000;

/** Body of POST …/dry-runs. */
export const startDryRunSchema = z.strictObject({ sampleSize: z.int().min(1).max(10_000_000).optional() });
export type StartDryRun = z.infer<typeof startDryRunSchema>;

export const startedDryRunSchema = z.object({ id: z.string() });
