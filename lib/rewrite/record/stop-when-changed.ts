import { restoredSince } from "#lib/cluster/definitions/evidence/evidence-before-restore.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { compareResourceVersions } from "#lib/domain/objects/resource-version.ts";
import { readableRecord } from "#lib/domain/record/rewrite-record.ts";
import type { CrdIdentity } from "#lib/domain/rewrite/identity.ts";
import { StopRun } from "#lib/rewrite/run/stop-run.ts";
import type { HeldRun } from "./held-run.ts";
import { disowned, knownRenewals } from "./own-record.ts";
import { DELETED, RESTORED, recreated, stopOf } from "./stop-of.ts";

const SPEC_CHANGED = "The definition's spec changed during the rewrite.";

/**
 * Aborts as soon as the watch reports a changed definition, or one that no longer records the run as this process's, or that etcd was
 * restored, or the cluster refuses the credentials, which ends the watch. The patches must stop at once, not at the next renewal. Returns a
 * function that unsubscribes.
 */
export function stopWhenChanged(heldRun: HeldRun, identity: CrdIdentity, stop: AbortController): () => void {
  const { connection, crd, lastRestore } = heldRun;
  const fleet = fleetOf(connection);
  const onRefused = () => stop.abort(stopOf(fleet.refused.reason));
  fleet.refused.addEventListener("abort", onRefused);
  const checkRecord = () => {
    const now = fleet.lastSeen(crd.name);
    if (now?.uid !== identity.uid) return;
    const order = compareResourceVersions(now.resourceVersion, crd.resourceVersion);
    // A backup taken while it ran has a definition that is not older.
    if (order < 0 || restoredSince(connection, lastRestore)) stop.abort(new StopRun("failed", RESTORED));
    // A watch may be behind what this process has written since.
    const reason = order > 0 ? disowned(readableRecord(now), { ...knownRenewals(heldRun), renewedAt: null }) : null;
    // Whoever replaces the definition may do both in one write.
    const isChanged = reason?.phase === "lost" && now.generation > identity.generation;
    if (reason) stop.abort(isChanged ? new StopRun("lost", `${SPEC_CHANGED} ${reason.message}`) : reason);
  };
  // It may have got an end before the run began.
  checkRecord();
  const unsubscribe = fleet.follow(crd.name, (now) => {
    checkRecord();
    if (now === null) stop.abort(new StopRun("failed", DELETED));
    else if (now.uid !== identity.uid) stop.abort(recreated());
    else if (now.generation > identity.generation) {
      stop.abort(new StopRun("failed", `${SPEC_CHANGED} Rewritten objects stay rewritten, but nothing is proven.`));
    }
  });
  return () => {
    fleet.refused.removeEventListener("abort", onRefused);
    unsubscribe();
  };
}
