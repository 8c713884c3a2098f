import { onceForEach } from "#lib/async/once-for-each.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { noteDisproved } from "#lib/cluster/definitions/evidence/disproved-at.ts";
import { withdrawEvidence } from "#lib/cluster/definitions/evidence/withdrawn-evidence.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { isAboveSettlePoint } from "#lib/domain/objects/resource-version.ts";
import { type RewriteRecord, readableRecord } from "#lib/domain/record/rewrite-record.ts";
import { updateRecord } from "#lib/rewrite/record/update-record.ts";
import { withdrawAnyway } from "#lib/rewrite/record/withdraw-anyway.ts";
import { withDoubtForWithdrawn } from "#lib/rewrite/record/without-withdrawn.ts";
import type { Disproof, Pass } from "#lib/rewrite/run/pass.ts";
import { rememberFound } from "#lib/rewrite/run/withdraw-evidence.ts";
import { endAtShutdown } from "#lib/rewrite/run/work-beside-runs.ts";

const WITHDRAW_WITHIN_MS = 5_000;

/** What the objects of a claim have disproved of it. */
export interface Finding {
  onDisproof: NonNullable<Pass["onDisproof"]>;
  /** Whether an object has disproved something; a write without an answer only may have. */
  isFound: () => boolean;
  /** Whether something of that isn't in the record yet. */
  isUnrecorded: () => boolean;
}

/**
 * Takes what an object disproves out of the record and leaves a doubt in it, once for each kind, before the object counts, also if the
 * prune that asked for it is over: this process may end at any time. If that can't be written, the pass ends, and it is tried again beside
 * whatever else this process does. An object that can't be verified disproves nothing here, because perhaps only this person lacks a
 * permission.
 */
export function withdrawingFrom(connection: Connection, crd: Crd, runId: string): Finding {
  const withdraw = (now: Crd, record: RewriteRecord) => (now.uid === crd.uid ? withDoubtForWithdrawn(connection, record, now) : record);
  let isFound = false;
  let unrecorded = 0;
  const write = (disproof: Disproof) => {
    const first = updateRecord(connection, crd.name, withdraw, AbortSignal.timeout(WITHDRAW_WITHIN_MS)).then(() => {});
    const ended = first.catch(async () => {
      unrecorded += 1;
      rememberFound({ connection, crd, run: { id: runId } }, disproof);
      if (await withdrawAnyway(connection, crd)) unrecorded -= 1;
    });
    // From the first try on: the verification may end before it does, and this process with that.
    endAtShutdown({ stop: new AbortController(), ended });
    return first;
  };
  const writeOnce = onceForEach(({ of }: Disproof) => of, write);
  const recorded = readableRecord(crd)?.settlePoint ?? null;
  return {
    isFound: () => isFound,
    isUnrecorded: () => unrecorded > 0,
    async onDisproof(disproof) {
      if (disproof.found === "rejected") return;
      isFound ||= disproof.wasNothing === undefined;
      noteDisproved(connection, crd.uid);
      withdrawEvidence(connection, crd.uid, disproof);
      // The one that this verification takes is above what it finds; what is recorded may not be.
      const isAbove = isAboveSettlePoint(disproof.objectAt, recorded?.resourceVersion ?? null);
      await writeOnce({ ...disproof, of: isAbove ? "settle-point" : "proof" });
    },
  };
}
