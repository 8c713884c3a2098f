import type { MigrationEngine } from "#lib/domain/rewrite/engines.ts";
// Engines other than crdshift: the cluster's own (storagemigration.k8s.io) and OpenShift's (migration.k8s.io).

export const migrationPhases = ["pending", "running", "succeeded", "failed"] as const;
export type MigrationPhase = (typeof migrationPhases)[number];

/** A StorageVersionMigration, created by crdshift or another client. */
export interface Migration {
  engine: MigrationEngine;
  name: string;
  uid: string;
  /** `<plural>.<group>` of what it migrates; need not be a CustomResourceDefinition. */
  resource: string;
  phase: MigrationPhase;
  /** Its status message; empty when it has none. */
  message: string;
  createdAt: string;
  /** RFC 3339: when it entered this phase; null while pending. */
  since: string | null;
  /** The crdshift run that delegated to it; null if another client created it. */
  runId: string | null;
}

/** One condition of a StorageVersionMigration. */
export interface MigrationCondition {
  type: string;
  status: string;
  message: string;
  /** RFC 3339, empty when it has none. */
  lastTransitionTime: string;
}

/** Lower values are left out last. */
const importance: Record<MigrationPhase, number> = { running: 0, pending: 1, succeeded: 2, failed: 2 };

/** Compares by creation, newest first. The API server writes all of these times in UTC and to the second, so their texts tell. */
export function byNewest({ createdAt: one }: Migration, { createdAt: other }: Migration): number {
  return one < other ? 1 : one > other ? -1 : 0;
}

/** At most `most` of the migrations, given newest first and kept in order; prefers running, then pending. `more` counts those left out. */
export function newestMigrations(migrations: readonly Migration[], most: number): { items: Migration[]; more: number } {
  const kept = new Set(migrations.toSorted((one, other) => importance[one.phase] - importance[other.phase]).slice(0, most));
  return { items: migrations.filter((migration) => kept.has(migration)), more: migrations.length - kept.size };
}

const OWN_PREFIX = "crdshift-";

/**
 * The name of the StorageVersionMigration that a run delegates to: stable across resumes, but different per generation, because a finished
 * migration says nothing about a later spec.
 */
export function migrationName(runId: string, generation: number): string {
  return `${OWN_PREFIX}${runId}-${generation}`;
}

/** Whether migrationName gives this name for the run. */
export function isNamedFor(migration: string, runId: string): boolean {
  return migration.startsWith(`${OWN_PREFIX}${runId}-`);
}

/** Whether a run delegated to it. Whoever may patch another definition can copy the run, with its id and its migration's name, there. */
export function isMigrationOf({ runId, resource }: Pick<Migration, "runId" | "resource">, run: { id: string; crd: string }): boolean {
  return runId === run.id && resource === run.crd;
}

/**
 * The progress of a StorageVersionMigration. It has ended only when Running is gone next to Succeeded or Failed: the controller sets
 * those first, then shortens the definition's storedVersions, then clears Running (kubernetes
 * pkg/controller/storageversionmigrator/migrationrunner.go, cleanupAdmission). OpenShift's engine removes Running at its end.
 */
export function migrationProgress(conditions: readonly MigrationCondition[]): Pick<Migration, "phase" | "message" | "since"> {
  const held = (type: string) => conditions.find((condition) => condition.type === type && condition.status === "True");
  const [running, failed, succeeded] = [held("Running"), held("Failed"), held("Succeeded")];
  if (running) return { phase: "running", ...wordsOf(failed ?? running) };
  if (failed) return { phase: "failed", ...wordsOf(failed) };
  if (succeeded) return { phase: "succeeded", ...wordsOf(succeeded) };
  return { phase: "pending", message: "", since: null };
}

function wordsOf({ message, lastTransitionTime }: MigrationCondition): Pick<Migration, "message" | "since"> {
  return { message, since: lastTransitionTime || null };
}
