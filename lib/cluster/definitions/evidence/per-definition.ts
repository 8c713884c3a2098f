import { type ClusterAddress, clusterKey } from "#lib/cluster/connection/cluster-key.ts";
import { oldestBeyond } from "#lib/cluster/connection/oldest-beyond.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";

/** Of deleted definitions, which a restore of etcd may bring back. */
const MOST_DELETED = 1_000;

/** One thing that this process remembers of each definition, for a while after the definition is deleted, too. */
export interface Memory<Value> {
  get(cluster: ClusterAddress, uid: string): Value | undefined;
  set(cluster: ClusterAddress, uid: string, value: Value): void;
  /** Returns whether there was something to forget. */
  forget(cluster: ClusterAddress, uid: string): boolean;
}

/** The memory with this name, which all bundles of the process share. */
export function perDefinition<Value>(name: string): Memory<Value> {
  const values = () =>
    processWide(name, () => {
      const made = new Map<string, Value>();
      memories().add(made);
      return made;
    });
  return {
    get: (cluster, uid) => values().get(definitionKey(cluster, uid)),
    set: (cluster, uid, value) => void values().set(definitionKey(cluster, uid), value),
    forget: (cluster, uid) => values().delete(definitionKey(cluster, uid)),
  };
}

/** Forgets all that this process remembers of a definition. */
export function forgetDefinition(cluster: ClusterAddress, uid: string): void {
  forget(definitionKey(cluster, uid));
}

/**
 * Forgets a deleted definition once a thousand others were deleted after it: a restore of etcd may undo the deletion, and what was found
 * before it may still be true.
 */
export function forgetLater(cluster: ClusterAddress, uid: string): void {
  const key = definitionKey(cluster, uid);
  deleted().delete(key);
  deleted().add(key);
  for (const oldest of oldestBeyond(deleted(), MOST_DELETED)) forget(oldest);
}

/** Takes back forgetLater: the definition is there again. */
export function keepRemembering(cluster: ClusterAddress, uid: string): void {
  deleted().delete(definitionKey(cluster, uid));
}

function forget(key: string): void {
  deleted().delete(key);
  for (const values of memories()) values.delete(key);
}

/** What this process knows a definition by. Clusters that were cloned from one backup have definitions with the same uid. */
export function definitionKey(cluster: ClusterAddress, uid: string): string {
  return `${uid} ${clusterKey(cluster)}`;
}

/** The keys of deleted definitions, oldest deletion first. */
function deleted(): Set<string> {
  return processWide("deleted-definitions", () => new Set());
}

function memories(): Set<Map<string, unknown>> {
  return processWide("definition-memories", () => new Set());
}
