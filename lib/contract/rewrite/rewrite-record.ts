import { z } from "zod";
import { count } from "#lib/contract/count.ts";
import { time } from "#lib/contract/time.ts";
import type { RewriteRecord } from "#lib/domain/record/rewrite-record.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import { lossSchema } from "./dry-run.ts";
import { acceptedLossesSchema, runSchema } from "./run.ts";

/** Absent from the records of an earlier crdshift. */
const signature = z.string().nullable().default(null);

/** crdshift's own are UUIDs. Requests for a run have its id in their `User-Agent`: in another, its author would speak to the audit log. */
const RUN_ID = /^[\w-]{1,100}$/;

/** As the API server lets objects be called. People copy it into a shell with a command: another text there would be its author's. */
const MIGRATION_NAME = /^[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$/;

const identity = { uid: z.string(), generation: z.int(), storageVersion: z.string() };

export const proofSchema = z.object({
  ...identity,
  settleResourceVersion: z.string(),
  settleSeconds: z.number(),
  verifiedResourceVersion: z.string(),
  objects: z.int(),
  verify: z.enum(["settle-point", "every-object"]),
  provenAt: time,
  runId: z.string().regex(RUN_ID),
  acceptedLosses: acceptedLossesSchema.nullable().default(null),
  signature,
});

export const dryRunRecordSchema = z.object({
  ...identity,
  id: z.string(),
  startedBy: z.string(),
  startedAt: time.nullable().default(null),
  endedAt: time,
  resourceVersion: z.string().nullable().default(null),
  admission: z.string().nullable().default(null),
  total: z.int(),
  checked: z.int(),
  onlyRead: z.int().default(0),
  alreadyCurrent: z.int().default(0),
  wouldBeRejected: z.int(),
  cannotDryRun: z.int().default(0),
  lossesKnown: z.boolean(),
  lossesUnknownBecause: z.string().nullable(),
  unknownMayPass: z.boolean().default(false),
  generationRises: z.int().default(0),
  settled: z.boolean().default(false),
  losses: z.array(lossSchema),
  moreLosses: count,
  signature,
});

export const pruneRecordSchema = z.object({
  versions: z.array(z.string()),
  prunedAt: time,
  // A record of an earlier crdshift has none of these.
  by: z.string().nullable().default(null),
  runId: z.string().nullable().default(null),
  reason: z.string().nullable().default(null),
});

const recordSchema: z.ZodType<RewriteRecord> = z.object({
  uid: z.string().nullable().default(null),
  holder: z.string().nullable(),
  generationSeen: z.object({ generation: z.int(), at: time }).nullable(),
  settlePoint: z.object({ ...identity, resourceVersion: z.string(), takenAt: time, settleSeconds: z.number(), signature }).nullable(),
  proof: proofSchema.nullable(),
  prune: pruneRecordSchema.nullable(),
  // Absent from the records of an earlier crdshift, which recorded a prune as done before its write.
  pruning: pruneRecordSchema.nullable().default(null),
  // Absent from the records of an earlier crdshift, whose runs still tell.
  doubt: z.object({ rejected: z.int() }).nullable().default(null),
  dryRun: dryRunRecordSchema.nullable().default(null),
  runs: z.array(runSchema).transform((runs) => runs.filter(isPossible)),
});

/** Whether crdshift can have written this of a run. */
function isPossible({ id, delegation }: Pick<Run, "id" | "delegation">): boolean {
  return RUN_ID.test(id) && (!delegation || MIGRATION_NAME.test(delegation.migration));
}

/** The JSON in the CRD's annotation `crdshift.dev/rewrite`, as this crdshift or 0.1.0 wrote it. */
export const rewriteRecordSchema: z.ZodType<RewriteRecord> = z.preprocess((json) => withCurrentNames(json, 4), recordSchema);

/** Fields that 0.1.0 named differently. */
const currentNames: Readonly<Record<string, string>> = { preflight: "dryRun", pausedBecause: "statusReason" };

// Four levels reach a run's accepted losses, the deepest renamed field. Anyone who may write annotations can nest them deeper.
function withCurrentNames(json: unknown, levels: number): unknown {
  if (levels === 0 || typeof json !== "object" || json === null) return json;
  if (Array.isArray(json)) return json.map((item) => withCurrentNames(item, levels - 1));
  const entries = Object.entries(json).map(([key, value]): [string, unknown] => {
    // The one phase of a run that 0.1.0 named differently.
    if (key === "phase" && value === "blocked") return [key, "unproven"];
    return [currentNames[key] ?? key, withCurrentNames(value, levels - 1)];
  });
  return Object.fromEntries(entries);
}
