import type { CountedTotal } from "#lib/cluster/objects/object-totals.ts";
import type { CrdSummary } from "#lib/contract/definition/crd.ts";
import { type Crd, deprecationWarnings, preferredVersion, storageVersion } from "#lib/domain/definition/crd.ts";
import { crdState } from "#lib/domain/definition/crd-state.ts";
import { leftoverVersions } from "#lib/domain/definition/stored-versions.ts";
import { latestRun } from "#lib/domain/record/rewrite-record.ts";
import { isLive } from "#lib/domain/rewrite/run.ts";
import { versionPriorityOrder, versionPriorityReason } from "#lib/domain/versions/version-priority.ts";

/** Per definition, since all are listed together, and every change is sent to all who watch. Real definitions have a handful. */
const MOST_LISTED = 20;

/** The definition as the fleet shows it at `now` (ms since the epoch), with its first twenty versions. */
export function summarizeCrd(crd: Crd, counted: CountedTotal, now: number): CrdSummary {
  return summaryOf(crd, counted, now, MOST_LISTED);
}

/** The same with at most so many of its versions. */
export function summaryOf(crd: Crd, counted: CountedTotal, now: number, most: number): CrdSummary {
  const { conversionFailure, ...objects } = counted;
  const { state, reason } = crdState(crd, { total: counted.total, conversionFailure }, now);
  const run = latestRun(crd, now);
  const warningOf = deprecationWarnings(crd);
  return {
    name: crd.name,
    uid: crd.uid,
    group: crd.group,
    kind: crd.kind,
    plural: crd.plural,
    scope: crd.scope,
    generation: crd.generation,
    versions: versionPriorityOrder(crd.versions)
      .slice(0, most)
      .map((version) => ({
        name: version.name,
        served: version.served,
        storage: version.storage,
        deprecated: version.deprecated,
        deprecationWarning: warningOf(version),
        customWarning: version.customWarning,
        priorityReason: versionPriorityReason(version.name),
      })),
    preferredVersion: preferredVersion(crd)?.name ?? null,
    storageVersion: storageVersion(crd)?.name ?? null,
    storedVersions: crd.storedVersions.slice(0, most),
    leftoverVersions: leftoverVersions(crd).slice(0, most),
    state,
    stateReason: reason,
    conversion: crd.conversion.strategy,
    objects,
    activeRun: run && isLive(run) ? run : null,
  };
}
