import { z } from "zod";
import { time } from "#lib/contract/time.ts";
import { migrationEngines } from "#lib/domain/rewrite/engines.ts";
import { migrationPhases } from "#lib/domain/rewrite/migration.ts";

/** A StorageVersionMigration of the cluster's own engine or of OpenShift's. */
export const migrationSchema = z.object({
  engine: z.enum(migrationEngines),
  name: z.string(),
  uid: z.string(),
  /** `<plural>.<group>` of what it migrates; need not be a CustomResourceDefinition. */
  resource: z.string(),
  phase: z.enum(migrationPhases),
  /** Its status message; empty when it has none. */
  message: z.string(),
  createdAt: time,
  /** When it entered this phase; null while pending. */
  since: time.nullable(),
  /** The crdshift run that delegated to it; null if another user created it. */
  runId: z.string().nullable(),
});
export type Migration = z.infer<typeof migrationSchema>;

/** Whether the cluster serves an engine's API, and not all its migrations were listed: `incomplete`, with a `message` of crdshift's own. */
export const migrationApiSchema = z.discriminatedUnion("status", [
  z.object({ status: z.literal("served"), version: z.string() }),
  z.object({ status: z.literal("incomplete"), version: z.string(), message: z.string() }),
  z.object({ status: z.literal("not-served") }),
  z.object({ status: z.enum(["denied", "failed"]), message: z.string() }),
]);
export type MigrationApi = z.infer<typeof migrationApiSchema>;

/**
 * What is known of each engine's migrations: its API when it was last asked for them, null if it wasn't lately or hasn't answered yet, and
 * as of when they are; null if they were never listed.
 */
export const otherEnginesSchema = z.record(
  z.enum(migrationEngines),
  z.object({ api: migrationApiSchema.nullable(), asOf: time.nullable() }),
);
export type OtherEngines = z.infer<typeof otherEnginesSchema>;

/**
 * Response of GET /api/clusters/{cluster}/migrations: migrations of all definitions, newest first. `more` counts those left out: older ones
 * first, running ones last. `apis` says which engines could be read.
 */
export const migrationListSchema = z.object({
  apis: z.record(z.enum(migrationEngines), migrationApiSchema),
  items: z.array(migrationSchema),
  more: z.int(),
  asOf: time,
});
export type MigrationList = z.infer<typeof migrationListSchema>;

/** What a run knows about the StorageVersionMigration that it delegated to. */
export const delegationSchema = z.object({
  /** Its name. */
  migration: z.string(),
  /** Its phase when last read; null before it is created or after it was deleted, or if its run ended before recording it. */
  phase: z.enum(migrationPhases).nullable(),
  /** Its last status message. */
  message: z.string(),
  /** crdshift's note on its fate when the run ended first; otherwise null. */
  left: z.string().nullable(),
  startedAt: time.nullable(),
  endedAt: time.nullable(),
  /** status.storedVersions before it began. */
  storedVersionsBefore: z.array(z.string()),
  /** Versions that crdshift put back because they were removed without a proof. */
  putBack: z.array(z.string()),
});
