import type { ClusterAddress } from "#lib/cluster/connection/cluster-key.ts";
import type { RewriteRecord } from "#lib/domain/record/rewrite-record.ts";
import { isLive, type Run } from "#lib/domain/rewrite/run.ts";
import { perDefinition } from "./per-definition.ts";

/** How a run ended, with the definition's spec as the run knew it, and what it would say if that has changed since. */
export interface UnrecordedEnd {
  generation: number;
  unchanged: Run;
  changed: Run;
}

const ends = perDefinition<UnrecordedEnd>("unrecorded-ends");

/** Remembers how a run of this process ended, which the cluster hasn't recorded; whatever this process records next has it. */
export function noteUnrecordedEnd(cluster: ClusterAddress, uid: string, end: UnrecordedEnd): void {
  ends.set(cluster, uid, end);
}

/** Whether the end of this run is one of those. */
export function hasUnrecordedEnd(cluster: ClusterAddress, uid: string, runId: string): boolean {
  return ends.get(cluster, uid)?.unchanged.id === runId;
}

/** Forgets it, once it is recorded or another run begins. Returns whether there was one. */
export function forgetUnrecordedEnd(cluster: ClusterAddress, uid: string): boolean {
  return ends.forget(cluster, uid);
}

/**
 * A definition's record with the end that this process couldn't record, as long as the run looks live there; else the same object. `generation`
 * is null if the definition may have changed since it was read.
 */
export function withUnrecordedEnd(
  cluster: ClusterAddress,
  { uid, generation }: { uid: string; generation: number | null },
  record: RewriteRecord,
): RewriteRecord {
  const end = ends.get(cluster, uid);
  const ended = end && (end.generation === generation ? end.unchanged : end.changed);
  if (!ended || !record.runs.some((run) => isBeforeEnd(run, ended))) return record;
  return { ...record, runs: record.runs.map((run) => (isBeforeEnd(run, ended) ? ended : run)) };
}

// A run that was resumed since, here or by another crdshift, has a newer record.
function isBeforeEnd(recorded: Run, { id, takenOverAt, endedAt }: Run): boolean {
  const isSame = recorded.id === id && recorded.takenOverAt === takenOverAt;
  return isSame && isLive(recorded) && Date.parse(recorded.renewedAt) <= Date.parse(endedAt ?? "");
}
