import { z } from "zod";
import { time } from "#lib/contract/time.ts";
import { migrationEngines, migrationPhases } from "#lib/domain/rewrite/migration.ts";

/** A StorageVersionMigration of the cluster's own engine or OpenShift's. */
export const migrationSchema = z.object({
  engine: z.enum(migrationEngines),
  name: z.string(),
  uid: z.string(),
  /** `<plural>.<group>` of what it migrates; need not be a CustomResourceDefinition. */
  resource: z.string(),
  phase: z.enum(migrationPhases),
  /** What it says of itself; empty when it says nothing. */
  message: z.string(),
  createdAt: time,
  /** When it came into this phase; null while pending. */
  since: time.nullable(),
  /** The run of crdshift that delegated to it; null for somebody else's. */
  runId: z.string().nullable(),
});
export type Migration = z.infer<typeof migrationSchema>;

/** Whether the cluster serves an engine's API; `message` is the cluster's words. */
export const migrationApiSchema = z.discriminatedUnion("status", [
  z.object({ status: z.literal("served"), version: z.string() }),
  z.object({ status: z.literal("not-served") }),
  z.object({ status: z.enum(["denied", "failed"]), message: z.string() }),
]);
export type MigrationApi = z.infer<typeof migrationApiSchema>;

/**
 * Body of GET /api/clusters/{cluster}/migrations: of all definitions, newest first; `more` older ones are left out, of those that run the last. `apis` says of which
 * engines it could tell.
 */
export const migrationListSchema = z.object({
  apis: z.object({ "in-tree": migrationApiSchema, openshift: migrationApiSchema }),
  items: z.array(migrationSchema),
  more: z.int(),
  asOf: time,
});
export type MigrationList = z.infer<typeof migrationListSchema>;

/** What a run knows of the StorageVersionMigration that it delegated to. */
export const delegationSchema = z.object({
  /** Its name. */
  migration: z.string(),
  /** Where it stood when it was looked at last; null while there is none, before it is created or after it was deleted. */
  phase: z.enum(migrationPhases).nullable(),
  /** What it said last. */
  message: z.string(),
  /** What became of it when the run ended before it did, in crdshift's words; null else. */
  left: z.string().nullable(),
  startedAt: time.nullable(),
  endedAt: time.nullable(),
  /** status.storedVersions before it began. */
  storedVersionsBefore: z.array(z.string()),
  /** Versions that crdshift put back into it, since they had been taken out without proof. */
  putBack: z.array(z.string()),
});
