import type { Connection } from "#lib/cluster/connection/connection.ts";
import { changesManagedFields } from "#lib/domain/definition/broken-applies.ts";
import type { ManagedFieldsCount } from "#lib/domain/objects/managed-fields-count.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import { perDefinition } from "./per-definition.ts";

type Cluster = Pick<Connection, "server">;

/** The last time, in ms, at which a run that changes managedFields was noted. */
const changedAt = perDefinition<number>("managed-fields-changed");

/** Notes a run of this process as it is now: anyone may write runs into the annotation, but not this one. */
export function noteOwnRun(cluster: Cluster, uid: string, run: Run): void {
  if (changesManagedFields(run)) changedAt.set(cluster, uid, Date.parse(run.endedAt ?? run.renewedAt));
}

/** Whether a run of this process has changed managedFields since they were counted. */
export function ownRunChanged(cluster: Cluster, uid: string, { asOf }: ManagedFieldsCount): boolean {
  return (changedAt.get(cluster, uid) ?? Number.NEGATIVE_INFINITY) > Date.parse(asOf);
}

/** Forgets the runs on a definition that was restored. */
export function forgetOwnRuns(cluster: Cluster, uid: string): void {
  changedAt.forget(cluster, uid);
}
