import type { Crd, CrdCondition } from "#lib/domain/definition/crd.ts";
import { storageVersion } from "#lib/domain/definition/crd.ts";
import { isLive, latestRun, readableRecord, validProof } from "./run.ts";

/** Engines beside crdshift: the API server's own (storagemigration.k8s.io) and OpenShift's kube-storage-version-migrator (migration.k8s.io). */
export const migrationEngines = ["in-tree", "openshift"] as const;
export type MigrationEngine = (typeof migrationEngines)[number];

export const migrationPhases = ["pending", "running", "succeeded", "failed"] as const;
export type MigrationPhase = (typeof migrationPhases)[number];

/** A StorageVersionMigration, whoever made it. */
export interface Migration {
  engine: MigrationEngine;
  name: string;
  uid: string;
  /** `<plural>.<group>` of what it migrates; need not be a CustomResourceDefinition. */
  resource: string;
  phase: MigrationPhase;
  /** What it says of itself; empty when it says nothing. */
  message: string;
  createdAt: string;
  /** RFC 3339: when it came into this phase; null while pending. */
  since: string | null;
  /** The run of crdshift that delegated to it; null for somebody else's. */
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

/** Which are left out last. */
const importance: Record<MigrationPhase, number> = { running: 0, pending: 1, succeeded: 2, failed: 2 };

/** At most so many of those given newest first, in their order: what runs and what waits before what is over. And how many are left out. */
export function newestMigrations(migrations: readonly Migration[], most: number): { items: Migration[]; more: number } {
  const kept = new Set(migrations.toSorted((one, other) => importance[one.phase] - importance[other.phase]).slice(0, most));
  return { items: migrations.filter((migration) => kept.has(migration)), more: migrations.length - kept.size };
}

const OWN_PREFIX = "crdshift-";
/** A new one that nobody works on yet may be picked up at any moment; an old one waits for a controller that isn't there. */
const MAY_BE_PICKED_UP_MS = 60_000;

/**
 * The name of the StorageVersionMigration that a run delegates to: the same again when it is resumed, and another one for another spec,
 * of which an ended one would say nothing.
 */
export function migrationName(runId: string, generation: number): string {
  return `${OWN_PREFIX}${runId}-${generation}`;
}

/** Whether that is a name that migrationName gives for the run. */
export function isNamedFor(migration: string, runId: string): boolean {
  return migration.startsWith(`${OWN_PREFIX}${runId}-`);
}

/**
 * Where a StorageVersionMigration stands. It has ended only once it is no longer Running beside Succeeded or Failed: the controller sets
 * those first, then shortens the definition's storedVersions, then takes Running back (kubernetes
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

/** The migration of another engine that is at work on the definition at `now` (ms), or may begin any moment; null when none is. A run's own is no stranger. */
export function migrationAtWork(crd: Pick<Crd, "migrations">, now: number, ownRunId: string | null = null): Migration | null {
  const strangers = crd.migrations.filter(({ runId }) => runId === null || runId !== ownRunId);
  const isNew = ({ phase, createdAt }: Migration) => phase === "pending" && now - Date.parse(createdAt) < MAY_BE_PICKED_UP_MS;
  return strangers.find(({ phase }) => phase === "running") ?? strangers.find(isNew) ?? null;
}

/**
 * The migration that the definition's condition StorageMigrating names, while it is True (Kubernetes 1.36 and later); empty for one without
 * a name. Null for a condition that was left behind: the controller never takes it back from a migration that was deleted while it ran.
 */
export function conditionAtWork(
  crd: Pick<Crd, "conditions" | "migrations" | "migrationsTold">,
  ownRunId: string | null = null,
): string | null {
  const name = namedByCondition(crd);
  if (name === null || (ownRunId !== null && isNamedFor(name, ownRunId))) return null;
  return isLeftBehind(crd, name) ? null : name;
}

/** Whether the cluster's own engine failed, or was left, by its condition, since crdshift last proved anything. It then tells nothing of what is stored. */
export function failedUnproven(crd: Crd): boolean {
  const condition = storageMigrating(crd);
  const name = namedByCondition(crd);
  const failed = condition?.status === "False" && condition.reason === "MigrationFailed";
  if (!(failed || (name !== null && isLeftBehind(crd, name))) || validProof(crd)) return false;
  const proof = readableRecord(crd)?.proof;
  return !(proof && proof.uid === crd.uid && proof.generation >= (condition?.observedGeneration ?? Number.POSITIVE_INFINITY));
}

/** Whether the cluster's own engine says, by its condition, that it succeeded on the spec as it is. That is its word, no proof. */
export function declaredBySuccess(crd: Pick<Crd, "conditions" | "generation">): boolean {
  const condition = storageMigrating(crd);
  return condition?.status === "False" && condition.reason === "MigrationSucceeded" && condition.observedGeneration === crd.generation;
}

/**
 * The versions that another engine may, at `now` (ms), have taken out of status.storedVersions with objects left behind: what a run of
 * crdshift knows of the list before it delegated; else, after a failed migration with a list of one, all others of the spec, since the
 * controller shortens the list however it ended (migrationrunner.go, finishCRDMigration).
 */
export function prunedUnproven(crd: Crd, now: number): string[] {
  const delegated = prunedUnderRun(crd, now);
  if (delegated.length > 0) return delegated;
  const storage = storageVersion(crd)?.name;
  const isShortened = crd.storedVersions.length === 1 && crd.storedVersions[0] === storage;
  if (!isShortened || !failedUnproven(crd)) return [];
  return crd.versions.map(({ name }) => name).filter((name) => name !== storage);
}

// A blocked run has named objects that are not at the storage version, whatever the engine says.
function prunedUnderRun(crd: Crd, now: number): string[] {
  const [run, written] = [latestRun(crd, now), readableRecord(crd)?.runs[0]];
  if (!run?.delegation || !written || isLive(run)) return [];
  // What one that fell silent wrote last may be older than its migration.
  if (run.delegation.phase === null && !isLive(written)) return [];
  // What a run has proven stays so when a later change of the spec voids the proof.
  if (run.phase === "succeeded" || validProof(crd)) return [];
  if (run.phase !== "blocked" && declaredBySuccess(crd)) return [];
  return run.delegation.storedVersionsBefore.filter(
    (version) => !crd.storedVersions.includes(version) && crd.versions.some(({ name }) => name === version),
  );
}

function namedByCondition(crd: Pick<Crd, "conditions">): string | null {
  const condition = storageMigrating(crd);
  return condition?.status === "True" ? (/^Migration (\S+) is running/.exec(condition.message)?.[1] ?? "") : null;
}

function isLeftBehind({ migrations, migrationsTold }: Pick<Crd, "migrations" | "migrationsTold">, name: string): boolean {
  return name !== "" && migrationsTold && !migrations.some((migration) => migration.engine === "in-tree" && migration.name === name);
}

function storageMigrating(crd: Pick<Crd, "conditions">): CrdCondition | undefined {
  return crd.conditions.find(({ type }) => type === "StorageMigrating");
}

function wordsOf({ message, lastTransitionTime }: MigrationCondition): Pick<Migration, "message" | "since"> {
  return { message, since: lastTransitionTime || null };
}
