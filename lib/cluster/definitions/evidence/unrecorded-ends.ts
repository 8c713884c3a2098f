import type { Connection } from "#lib/cluster/connection/connection.ts";
import type { RewriteRecord } from "#lib/domain/rewrite/rewrite-record.ts";
import { isLive, type Run } from "#lib/domain/rewrite/run.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";
import { definitionKey } from "./definition-key.ts";

type Cluster = Pick<Connection, "server">;

/** Remembers how a run of this process ended that the cluster refuses to record; whatever this process records next has it. */
export function noteUnrecordedEnd(cluster: Cluster, uid: string, ended: Run): void {
  ends().set(definitionKey(cluster, uid), ended);
}

/** Forgets it, once it is recorded, another run begins, or the definition is deleted. Returns whether there was one. */
export function forgetUnrecordedEnd(cluster: Cluster, uid: string): boolean {
  return ends().delete(definitionKey(cluster, uid));
}

/** A definition's record with the end that this process couldn't record, as long as the run looks live there; else the same object. */
export function withUnrecordedEnd(cluster: Cluster, uid: string, record: RewriteRecord): RewriteRecord {
  const ended = ends().get(definitionKey(cluster, uid));
  if (!ended || !record.runs.some((run) => isBeforeEnd(run, ended))) return record;
  return { ...record, runs: record.runs.map((run) => (isBeforeEnd(run, ended) ? ended : run)) };
}

// A run that was resumed since, here or by another crdshift, has a newer record.
function isBeforeEnd(recorded: Run, { id, takenOverAt, endedAt }: Run): boolean {
  const isSame = recorded.id === id && recorded.takenOverAt === takenOverAt;
  return isSame && isLive(recorded) && Date.parse(recorded.renewedAt) <= Date.parse(endedAt ?? "");
}

/** By definitionKey: the newest. */
function ends(): Map<string, Run> {
  return processWide("unrecorded-ends", () => new Map());
}
