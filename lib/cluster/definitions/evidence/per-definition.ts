import type { Connection } from "#lib/cluster/connection/connection.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";

type Cluster = Pick<Connection, "server">;

/** One thing that this process remembers of each definition, until the definition is deleted. */
export interface Memory<Value> {
  get(cluster: Cluster, uid: string): Value | undefined;
  set(cluster: Cluster, uid: string, value: Value): void;
  /** Returns whether there was something to forget. */
  forget(cluster: Cluster, uid: string): boolean;
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

/** Forgets all that this process remembers of a deleted definition. */
export function forgetDefinition(cluster: Cluster, uid: string): void {
  for (const values of memories()) values.delete(definitionKey(cluster, uid));
}

/** What this process knows a definition by. Clusters that were cloned from one backup have definitions with the same uid. */
export function definitionKey({ server }: Cluster, uid: string): string {
  return `${uid} ${server}`;
}

function memories(): Set<Map<string, unknown>> {
  return processWide("definition-memories", () => new Set());
}
