import { type Crd, type CrdCondition, storageVersion, versionNames } from "#lib/domain/definition/crd.ts";
import { latestRun, readableRecord } from "#lib/domain/record/rewrite-record.ts";
import { truthfulProof, validProof } from "#lib/domain/record/valid-evidence.ts";
import { DELEGATE } from "#lib/domain/rewrite/engines.ts";
import { isNamedFor, type Migration } from "./migration.ts";
import { isLive } from "./run.ts";

/** A new pending migration may start at any moment; an old one waits for a missing controller. */
const MAY_BE_PICKED_UP_MS = 60_000;

/** Another engine's migration that runs on the definition at `now` (ms) or may start any moment, except the run's own; else null. */
export function migrationAtWork(crd: Pick<Crd, "migrations">, now: number, ownRunId: string | null = null): Migration | null {
  const strangers = crd.migrations.filter(({ runId }) => runId === null || runId !== ownRunId);
  const isNew = ({ phase, createdAt }: Migration) => phase === "pending" && now - Date.parse(createdAt) < MAY_BE_PICKED_UP_MS;
  return strangers.find(({ phase }) => phase === "running") ?? strangers.find(isNew) ?? null;
}

/**
 * The migration named by the definition's StorageMigrating condition while it is True (Kubernetes 1.36 and later); empty if it names none.
 * Null for a stale condition: the controller never clears it when a migration is deleted while running.
 */
export function conditionAtWork(
  crd: Pick<Crd, "conditions" | "migrations" | "migrationsListed">,
  ownRunId: string | null = null,
): string | null {
  const name = namedByCondition(crd);
  if (name === null || (ownRunId !== null && isNamedFor(name, ownRunId))) return null;
  return isLeftBehind(crd, name) ? null : name;
}

/** Whether the condition says that the cluster's own engine failed, or is stale, since the last proof. Storage is then unknown. */
export function failedUnproven(crd: Crd): boolean {
  const condition = storageMigrating(crd);
  const name = namedByCondition(crd);
  const failed = condition?.status === "False" && condition.reason === "MigrationFailed";
  if (!(failed || (name !== null && isLeftBehind(crd, name))) || validProof(crd)) return false;
  const proof = truthfulProof(crd);
  return !(proof && proof.generation >= (condition?.observedGeneration ?? Number.POSITIVE_INFINITY));
}

/**
 * What the cluster's own engine writes into its condition if it rewrote the objects for the spec that the definition still has. If the spec
 * has changed meanwhile, it reports success all the same, even for the new generation, and leaves status.storedVersions as it was: kubernetes
 * pkg/controller/storageversionmigrator/migrationrunner.go, finishCRDMigration, at v1.37.2.
 */
const UPDATED = "the stored versions have been updated";

/** Whether the cluster's own engine reports success for the current spec in its condition. This is not a proof. */
export function declaredBySuccess(crd: Pick<Crd, "conditions" | "generation">): boolean {
  const condition = storageMigrating(crd);
  if (condition?.status !== "False" || condition.reason !== "MigrationSucceeded") return false;
  return condition.observedGeneration === crd.generation && condition.message.includes(UPDATED);
}

/**
 * The versions that another engine may, by `now` (ms), have removed from status.storedVersions with objects left behind: those that a
 * crdshift run recorded before delegating, and after a failed migration all others, whatever a run says, since anyone can write that.
 */
export function prunedUnproven(crd: Crd, now: number): string[] {
  return [...new Set([...prunedUnderRun(crd, now), ...crd.rememberedShrink, ...prunedByFailure(crd)])];
}

// After a failed migration left a single entry, all other versions in the spec, because the controller shortens the list however it ended
// (migrationrunner.go, finishCRDMigration).
function prunedByFailure(crd: Crd): string[] {
  const storage = storageVersion(crd)?.name;
  const isShortened = crd.storedVersions.length === 1 && crd.storedVersions[0] === storage;
  if (!isShortened || !failedUnproven(crd)) return [];
  return crd.versions.map(({ name }) => name).filter((name) => name !== storage);
}

/**
 * The versions that the cluster's own engine had removed by `now` (ms) under a crdshift run that ended unproven, by the run's record.
 * An unproven run named objects that are not at the storage version, whatever the engine reports.
 */
export function prunedUnderRun(crd: Crd, now: number): string[] {
  const [run, written] = [latestRun(crd, now), readableRecord(crd)?.runs[0]];
  if (!run?.delegation || !written || isLive(run)) return [];
  // The last record of an unresponsive run may predate its migration.
  if (run.delegation.phase === null && !isLive(written)) return [];
  // What a run proved remains true after a later spec change voids the proof.
  if (run.phase === "succeeded" || validProof(crd)) return [];
  if (run.phase !== "unproven" && declaredBySuccess(crd)) return [];
  const listed = new Set(crd.storedVersions);
  return run.delegation.storedVersionsBefore.filter((version) => !listed.has(version) && versionNames(crd).has(version));
}

// A name longer than an object's is none. Whoever may patch the status could write a megabyte, which every refusal would repeat.
function namedByCondition(crd: Pick<Crd, "conditions">): string | null {
  const condition = storageMigrating(crd);
  return condition?.status === "True" ? (/^Migration (\S{1,253}) is running/.exec(condition.message)?.[1] ?? "") : null;
}

function isLeftBehind({ migrations, migrationsListed }: Pick<Crd, "migrations" | "migrationsListed">, name: string): boolean {
  return name !== "" && migrationsListed && !migrations.some((migration) => migration.engine === DELEGATE && migration.name === name);
}

function storageMigrating(crd: Pick<Crd, "conditions">): CrdCondition | undefined {
  return crd.conditions.find(({ type }) => type === "StorageMigrating");
}
