import type { ClusterAddress } from "#lib/cluster/connection/cluster-key.ts";
import { perDefinition } from "./per-definition.ts";

const disproved = perDefinition<number>("settle-point-disproved");

/** Notes that a patch has just changed an object above the settle point: whatever stored it so may not be done, whichever run found it. */
export function noteDisproved(cluster: ClusterAddress, uid: string): void {
  disproved.set(cluster, uid, performance.now());
}

/** When that last happened in this process, by performance.now(); null if it never did. */
export function disprovedAt(cluster: ClusterAddress, uid: string): number | null {
  return disproved.get(cluster, uid) ?? null;
}
