import type { ClusterAddress } from "#lib/cluster/connection/cluster-key.ts";
import { compareResourceVersions } from "#lib/domain/objects/resource-version.ts";
import { noteUndone, type Undone } from "./evidence-before-restore.ts";
import { forgetSeen } from "./first-seen.ts";
import { forgetOwnRuns } from "./own-runs.ts";
import { lowerDoubt } from "./remembered-doubt.ts";
import { forgetFlipLosses } from "./remembered-flip-losses.ts";
import { lowerFindings } from "./withdrawn-evidence.ts";

/**
 * Takes note of a restore of etcd from resourceVersion `from` to `to`. What was found against these definitions still holds, because it may
 * have been true before the backup, but what is proven from now on ends it. What said something about times and specs is forgotten.
 */
export function noteRestore(cluster: ClusterAddress, uids: Iterable<string>, { to, from }: Undone): void {
  let latest = from;
  for (const uid of uids) {
    for (const known of [lowerFindings(cluster, uid, to), lowerDoubt(cluster, uid, to)]) {
      if (compareResourceVersions(known, latest) > 0) latest = known;
    }
    forgetSeen(cluster, uid);
    forgetFlipLosses(cluster, uid);
    forgetOwnRuns(cluster, uid);
  }
  noteUndone(cluster, { to, from: latest });
}
