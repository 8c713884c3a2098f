import type { ClusterAddress } from "#lib/cluster/connection/cluster-key.ts";
import { changedManagedFields } from "#lib/domain/definition/broken-applies.ts";
import type { ManagedFieldsCount } from "#lib/domain/objects/managed-fields-count.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import { perDefinition } from "./per-definition.ts";

/** Of each run by its id: in how many objects it has changed managedFields, and when, in ms, it was last noted. */
const changes = perDefinition<Map<string, { objects: number; at: number }>>("managed-fields-changes");
const MOST_REMEMBERED = 20;

/** Notes a run of this process as it is now: anyone may write runs into the annotation, but not this one. */
export function noteOwnRun(cluster: ClusterAddress, uid: string, run: Run): void {
  const objects = changedManagedFields(run);
  if (objects === 0) return;
  const ofDefinition = changes.get(cluster, uid) ?? new Map<string, { objects: number; at: number }>();
  ofDefinition.delete(run.id);
  ofDefinition.set(run.id, { objects, at: Date.parse(run.endedAt ?? run.renewedAt) });
  const [oldest] = ofDefinition.keys();
  if (oldest !== undefined && ofDefinition.size > MOST_REMEMBERED) ofDefinition.delete(oldest);
  changes.set(cluster, uid, ofDefinition);
}

/** In how many objects runs of this process have changed managedFields, by the runs' ids: those noted since a count, or all. */
export function changedByOwnRuns(
  cluster: ClusterAddress,
  uid: string,
  since: Pick<ManagedFieldsCount, "asOf"> | null = null,
): Map<string, number> {
  const after = since ? Date.parse(since.asOf) : Number.NEGATIVE_INFINITY;
  const noted = [...(changes.get(cluster, uid) ?? [])].filter(([, { at }]) => at > after);
  return new Map(noted.map(([id, { objects }]) => [id, objects]));
}

/** Forgets the runs on a definition that was restored. */
export function forgetOwnRuns(cluster: ClusterAddress, uid: string): void {
  changes.forget(cluster, uid);
}
