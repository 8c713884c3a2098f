import type { RewriteRecord } from "#lib/domain/record/rewrite-record.ts";
import { isLive, type Run } from "#lib/domain/rewrite/run.ts";
import { holderName } from "#lib/rewrite/run/running.ts";
import { StopRun } from "#lib/rewrite/run/stop-run.ts";
import type { HeldRun } from "./held-run.ts";

/** A run as this process began or resumed it, and its renewals that were known by the time the record was asked for. */
export interface KnownRenewals {
  run: Pick<Run, "id" | "renewedAt">;
  /** Null if any may be there. */
  renewedAt: string | null;
  sent: readonly string[];
}

/** What tells this process's record, if it is read from now on, from an older one. */
export function knownRenewals({ run, renewals = [run.renewedAt] }: Pick<HeldRun, "run" | "renewals">): KnownRenewals {
  return { run, renewedAt: renewals[0] ?? null, sent: renewals };
}

/** As RunControl's expectRecord. */
export function expectRecord(held: Pick<HeldRun, "run" | "renewals">): (record: RewriteRecord | null) => boolean {
  const known = knownRenewals(held);
  // It may have been renewed while it was read.
  return (record) => disowned(record, { ...known, sent: [...known.sent, ...knownRenewals(held).sent] }) === null;
}

/** The record, if this process still holds the run, no older than it was known before it was read. Throws StopRun otherwise. */
export function ownRecord(record: RewriteRecord, known: KnownRenewals): RewriteRecord {
  const reason = disowned(record, known);
  if (reason) throw reason;
  return record;
}

/** Why this process must not go on with a run, by its record; null if it may. */
export function disowned(record: RewriteRecord | null, { run: begun, renewedAt, sent }: KnownRenewals): StopRun | null {
  const newest = record?.runs[0];
  const isMine = record?.holder === holderName();
  // Another clock than this process's may be behind.
  const known = isMine ? renewedAt : begun.renewedAt;
  const isBefore = newest?.id === begun.id && known !== null && Date.parse(newest.renewedAt) < Date.parse(known);
  const isOlder = isBefore && !sent.includes(newest.renewedAt);
  if (isMine && newest?.id === begun.id && !isOlder) return null;
  if (!record?.runs.some(({ id }) => id === begun.id)) {
    return lost("Its record was removed from the definition's annotation.", "Start a new rewrite.");
  }
  // Whoever takes a run over has renewed it since, perhaps by a clock that is behind, and whoever ends it leaves its last renewal.
  const isHeld = record.holder !== null && !isMine && newest !== undefined && isLive(newest);
  if (isOlder && !isHeld) {
    const why = "An older record of it was put back into the definition's annotation, by whoever applied it or by a restore of etcd.";
    return lost(why, "Resume it, or start a new rewrite.");
  }
  return new StopRun("elsewhere", "Another crdshift took over the rewrite.");
}

function lost(why: string, nextStep: string): StopRun {
  return new StopRun("lost", `${why} Rewritten objects stay rewritten, but nothing is proven. ${nextStep}`);
}
