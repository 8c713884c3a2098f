import type { Connection } from "#lib/cluster/connection/connection.ts";
import { perDefinition } from "./per-definition.ts";

type Cluster = Pick<Connection, "server">;

const disproved = perDefinition<number>("settle-point-disproved");

/** Notes that a patch has just changed an object above the settle point: whatever stored it so may not be done, whichever run found it. */
export function noteDisproved(cluster: Cluster, uid: string): void {
  disproved.set(cluster, uid, performance.now());
}

/** When that last happened in this process, by performance.now(); null if it never did. */
export function disprovedAt(cluster: Cluster, uid: string): number | null {
  return disproved.get(cluster, uid) ?? null;
}
