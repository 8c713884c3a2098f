import type { CountedTotal } from "#lib/cluster/objects/object-totals.ts";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import type { Removal } from "#lib/contract/definition/removal.ts";
import { proofStanding } from "#lib/domain/audit/proof-standing.ts";
import { conditionAdvice } from "#lib/domain/definition/condition-advice.ts";
import { contradictionOf, missingStoredVersions } from "#lib/domain/definition/contradiction.ts";
import { type Crd, storageVersion } from "#lib/domain/definition/crd.ts";
import { crdState } from "#lib/domain/definition/crd-state.ts";
import { dropRefusal, leftoverVersions } from "#lib/domain/definition/stored-versions.ts";
import { basisOfBounds } from "#lib/domain/objects/basis-of-bounds.ts";
import { lastPrune } from "#lib/domain/record/last-prune.ts";
import { relistableVersions } from "#lib/domain/record/relistable-versions.ts";
import { latestRun, readableRecord } from "#lib/domain/record/rewrite-record.ts";
import { claimedDryRun, dryRunFault } from "#lib/domain/record/valid-evidence.ts";
import { cleanRefusals } from "#lib/domain/removal/clean-refusal.ts";
import { removalSteps } from "#lib/domain/removal/removal-steps.ts";
import { newestMigrations } from "#lib/domain/rewrite/migration.ts";
import { pruneRefusal, type Refusal, relistRefusal, rewriteRefusal } from "#lib/domain/rewrite/refusals.ts";
import { versionPriorityOrder } from "#lib/domain/versions/version-priority.ts";

import { summaryOf } from "./summarize-crd.ts";

/** Per definition; no one reads more. */
const MOST_MIGRATIONS = 50;
/** Of each kind. Real definitions have a handful, and a megabyte has 100,000. */
const MOST_NAMES = 100;

/** The definition as its page shows it at `now` (ms since the epoch); its names must not collide with those of `others`. */
export function describeCrd(
  crd: Crd,
  counted: CountedTotal,
  now: number,
  others: readonly Crd[] = [],
): Omit<CrdDetail, "otherEngines" | "protection" | "asOf" | "stale"> {
  const record = readableRecord(crd);
  const run = latestRun(crd, now);
  const prune = lastPrune(crd);
  const missing = missingStoredVersions(crd, now);
  const { items, more } = newestMigrations(crd.migrations, MOST_MIGRATIONS);
  const removed = missing.length > 0 ? missing : prune?.versions;
  const restorable = removed && relistableVersions(removed, crd);
  const { brokenApplies = null } = crdState(crd, { total: counted.total, conversionFailure: counted.conversionFailure }, now);
  // Objects may name thousands of gone versions. What refuses to clean the entries of one does so for all.
  const gone = brokenApplies?.versions[0];
  const refusalToClean = cleanRefusals(crd, now);
  return {
    ...summaryOf(crd, counted, now, Number.POSITIVE_INFINITY),
    uid: crd.uid,
    resourceVersion: crd.resourceVersion,
    basisOfBounds: basisOfBounds(crd, now),
    leftovers: leftoversOf(crd),
    shrankWithoutProof: crd.shrankWithoutProof,
    contradiction: contradictionOf(crd),
    brokenApplies,
    migrations: items,
    moreMigrations: more,
    missingStoredVersions: missing,
    proof: record?.proof ? { ...record.proof, ...proofStanding(crd, record.proof) } : null,
    dryRun: record?.dryRun ? { ...record.dryRun, invalidBecause: dryRunFault(crd, record.dryRun) ?? claimedDryRun(crd) } : null,
    hasStatus: storageVersion(crd)?.hasStatus ?? false,
    run,
    runs: record?.runs.map(({ id, phase }) => ({ id, phase })) ?? [],
    owner: crd.owner,
    conversionTarget: crd.conversion.strategy === "Webhook" ? crd.conversion.target : null,
    actions: {
      rewrite: action(rewriteRefusal(crd, now)),
      resume: action(rewriteRefusal(crd, now, run?.id ?? null)),
      prune: action(pruneRefusal(crd, now)),
      clean: action(gone === undefined ? null : refusalToClean(gone)),
      restore: action(
        restorable ? relistRefusal(crd, restorable, now) : { message: "crdshift hasn't pruned anything here.", nextStep: "" },
      ),
    },
    restoredEtcd: null,
    lastPrune: prune,
    removedVersions: restorableVersions(crd),
    droppedConversion: crd.conversion.strategy === "None" ? crd.droppedConversion : null,
    removals: removalsOf(crd, refusalToClean, now),
    deletionTimestamp: crd.deletionTimestamp,
    finalizers: crd.finalizers.slice(0, MOST_NAMES),
    names: { ...firstNames(crd.names), categories: crd.names.categories.slice(0, MOST_NAMES) },
    acceptedNames: crd.acceptedNames && firstNames(crd.acceptedNames),
    subresources: versionPriorityOrder(crd.versions).map(({ name, hasStatus, scale }) => ({ version: name, status: hasStatus, scale })),
    conditions: crd.conditions,
    conditionAdvice: conditionAdvice(crd, others, now),
  };
}

// The rest still decides which names collide and how many finalizers hold it.
function firstNames<Names extends { shortNames: string[] }>(names: Names): Names {
  return { ...names, shortNames: names.shortNames.slice(0, MOST_NAMES) };
}

function leftoversOf(crd: Crd): CrdDetail["leftovers"] {
  const leftovers = new Set(leftoverVersions(crd));
  return crd.storedVersions.flatMap((version, index) =>
    leftovers.delete(version) ? [{ version, blocks: dropRefusal(version, index) }] : [],
  );
}

// Only the newest kept copy of a name can come back.
function restorableVersions({ versions, removedVersions }: Crd): CrdDetail["removedVersions"] {
  const taken = new Set(versions.map(({ name }) => name));
  return removedVersions.filter(({ version }) => !taken.has(version) && taken.add(version));
}

/** Each path looks at every version, so the paths of thousands would take seconds. Real definitions have a handful. */
const MOST_REMOVALS = 20;

// Includes removed versions: their removal path shows the steps already done.
function removalsOf(crd: Crd, refusalToClean: (version: string) => Refusal | null, now: number): Removal[] {
  const names = [...versionPriorityOrder(crd.versions), ...restorableVersions(crd).map(({ version }) => ({ name: version }))];
  return names.slice(0, MOST_REMOVALS).map(({ name: version }) => ({
    version,
    clean: told(isStorage(crd, version) ? null : refusalToClean(version)),
    steps: removalSteps(crd, version, now).map(({ refusal, undoRefusal, ...step }) => ({
      ...step,
      refusal: told(refusal),
      undoRefusal: told(undoRefusal),
    })),
  }));
}

function isStorage(crd: Crd, version: string): boolean {
  return storageVersion(crd)?.name === version;
}

function told(refusal: Refusal | null): Removal["steps"][number]["refusal"] {
  return refusal && { message: refusal.message, nextStep: refusal.nextStep, run: refusal.run?.id ?? null };
}

function action(refusal: Refusal | null): { refusal: string | null } {
  return { refusal: refusal && `${refusal.message} ${refusal.nextStep}`.trim() };
}
