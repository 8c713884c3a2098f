import type { CrdDetail, CrdSummary } from "#lib/contract/crd.ts";
import { contradictionOf, missingStoredVersions } from "#lib/domain/contradiction.ts";
import { type Crd, deprecationWarning, preferredVersion, storageVersion } from "#lib/domain/crd.ts";
import { crdState } from "#lib/domain/crd-state.ts";
import { newestMigrations } from "#lib/domain/migration.ts";
import { pruneRefusal, type Refusal, restoreRefusal, rewriteRefusal } from "#lib/domain/refusals.ts";
import { identityChange, isLive, latestRun, readableRecord } from "#lib/domain/rewrite.ts";
import { dropRefusal, leftoverVersions } from "#lib/domain/stored-versions.ts";
import { versionPriorityOrder, versionPriorityReason } from "#lib/domain/version-priority.ts";
import type { CountedTotal } from "./object-totals.ts";

/** The definition as the fleet shows it at `now` (ms). */
export function summariseCrd(crd: Crd, counted: CountedTotal, now: number): CrdSummary {
  const { conversionFailure, ...objects } = counted;
  const { state, reason } = crdState(crd, { total: counted.total, conversionFailure }, now);
  const run = latestRun(crd, now);
  return {
    name: crd.name,
    uid: crd.uid,
    group: crd.group,
    kind: crd.kind,
    plural: crd.plural,
    scope: crd.scope,
    generation: crd.generation,
    versions: versionPriorityOrder(crd.versions).map((version) => ({
      name: version.name,
      served: version.served,
      storage: version.storage,
      deprecated: version.deprecated,
      deprecationWarning: deprecationWarning(crd, version),
      customWarning: version.customWarning,
      priorityReason: versionPriorityReason(version.name),
    })),
    preferredVersion: preferredVersion(crd)?.name ?? null,
    storageVersion: storageVersion(crd)?.name ?? null,
    storedVersions: crd.storedVersions,
    leftoverVersions: leftoverVersions(crd),
    state,
    stateReason: reason,
    conversion: crd.conversion.strategy,
    conditions: crd.conditions,
    objects,
    activeRun: run && isLive(run) ? run : null,
  };
}

/** Of one definition; more nobody reads. */
const MOST_MIGRATIONS = 50;

/** The definition as its own page shows it at `now` (ms). */
export function describeCrd(crd: Crd, counted: CountedTotal, now: number): CrdDetail {
  const record = readableRecord(crd);
  const prune = record?.prune ?? null;
  const missing = missingStoredVersions(crd, now);
  const { items, more } = newestMigrations(crd.migrations, MOST_MIGRATIONS);
  const restorable = missing.length > 0 ? missing : prune?.versions;
  return {
    ...summariseCrd(crd, counted, now),
    resourceVersion: crd.resourceVersion,
    leftovers: leftoverVersions(crd).map((version) => ({ version, blocks: dropRefusal(crd.storedVersions, version) })),
    shrankWithoutProof: crd.shrankWithoutProof,
    contradiction: contradictionOf(crd),
    migrations: items,
    moreMigrations: more,
    missingStoredVersions: missing,
    proof: record?.proof ? { ...record.proof, invalidBecause: identityChange(crd, record.proof) } : null,
    preflight: record?.preflight ? { ...record.preflight, invalidBecause: identityChange(crd, record.preflight) } : null,
    hasStatus: storageVersion(crd)?.hasStatus ?? false,
    run: latestRun(crd, now),
    owner: crd.owner,
    conversionTarget: crd.conversion.strategy === "Webhook" ? crd.conversion.target : null,
    actions: {
      rewrite: action(rewriteRefusal(crd, now)),
      prune: action(pruneRefusal(crd, now)),
      restore: action(restorable ? restoreRefusal(crd, restorable, now) : { message: "crdshift has pruned nothing here.", nextStep: "" }),
    },
    lastPrune: prune,
    removedVersion: crd.versions.some(({ name }) => name === crd.removedVersion?.version) ? null : crd.removedVersion,
    deletionTimestamp: crd.deletionTimestamp,
  };
}

function action(refusal: Refusal | null): { refusal: string | null } {
  return { refusal: refusal && `${refusal.message} ${refusal.nextStep}`.trim() };
}
