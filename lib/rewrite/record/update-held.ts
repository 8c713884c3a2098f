import { restoredSince } from "#lib/cluster/definitions/evidence/evidence-before-restore.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { isOlderState } from "#lib/domain/definition/is-older-state.ts";
import type { RewriteRecord } from "#lib/domain/record/rewrite-record.ts";
import { type CrdIdentity, identityChange } from "#lib/domain/rewrite/identity.ts";
import { StopRun } from "#lib/rewrite/run/stop-run.ts";
import type { HeldRun } from "./held-run.ts";
import { type KnownRenewals, knownRenewals, ownRecord } from "./own-record.ts";
import { RESTORED, recreated } from "./stop-of.ts";
import { updateRecord, writtenRun } from "./update-record.ts";

/**
 * Changes the record as updateRecord does, if this process still holds the run, the definition is unchanged, and etcd was not restored: the
 * write would make the definition newer than before, and nothing would show the restore any more. Throws StopRun otherwise.
 */
export async function updateHeld(
  heldRun: HeldRun,
  identity: CrdIdentity,
  change: (record: RewriteRecord, now: Crd) => RewriteRecord,
  signal: AbortSignal,
): Promise<Crd> {
  const { connection, crd, lastRestore } = heldRun;
  const seen = fleetOf(connection).lastSeen(crd.name);
  const known = knownRenewals(heldRun);
  const changeHeld = (now: Crd, record: RewriteRecord) => {
    if (isOlderState(now, seen) || restoredSince(connection, lastRestore)) throw new StopRun("failed", RESTORED);
    // It may have been renewed while it was read.
    const { sent } = knownRenewals(heldRun);
    const changed = change(held(now, record, { ...known, sent: [...known.sent, ...sent] }, identity), now);
    heldRun.renewals = [...sent, ...changed.runs.slice(0, 1).map(({ renewedAt }) => renewedAt)];
    return changed;
  };
  const written = await updateRecord(connection, crd.name, changeHeld, signal);
  const { sent } = knownRenewals(heldRun);
  const at = sent.lastIndexOf(writtenRun(written).renewedAt);
  // Otherwise, a later one has been written before this answer came.
  if (at >= 0) heldRun.renewals = sent.slice(at);
  return written;
}

function held(now: Crd, record: RewriteRecord, known: KnownRenewals, identity: CrdIdentity): RewriteRecord {
  if (now.uid !== identity.uid) throw recreated();
  const mine = ownRecord(record, known);
  const change = identityChange(now, identity);
  if (change) throw new StopRun("failed", `The definition changed during the rewrite: ${change}.`);
  return mine;
}
