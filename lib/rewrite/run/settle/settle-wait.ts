import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { disprovedAt } from "#lib/cluster/definitions/evidence/disproved-at.ts";
import { noticedRestore, restoredSince } from "#lib/cluster/definitions/evidence/evidence-before-restore.ts";
import { withOwnEvidence } from "#lib/cluster/definitions/evidence/evidence-signature.ts";
import { type FirstSeen, noteRead } from "#lib/cluster/definitions/evidence/first-seen.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { readableRecord } from "#lib/domain/record/rewrite-record.ts";
import { STORED_OTHERWISE, validSettlePoint } from "#lib/domain/record/valid-evidence.ts";
import { type CrdIdentity, identityChange } from "#lib/domain/rewrite/identity.ts";

/** The rest of the fixed wait, in ms, and the reason for it. */
export interface SettleWait {
  ms: number;
  because: string;
}

interface Clocks {
  /** The server's clock, ms since the epoch. */
  serverTime: number;
  settleSeconds: number;
  /** When a patch last changed an object above the settle point, by performance.now(); null if none did. */
  disprovedAt: number | null;
  /** When an API server was seen to have hung until then, by performance.now(); null if none was. */
  lateAt: number | null;
  seen: FirstSeen;
  /** By performance.now(). */
  now: number;
}

/** More than the delay of a watch and the rounding of times to seconds. */
const DISAGREE_MS = 5_000;
/** More than the clocks of API servers differ. */
const FAR_AHEAD_MS = 60_000;

/**
 * What is left of the wait after the last spec change; null when it is over. It counts by the server's clock, and by this process's own
 * since it first saw the spec, because a clock or a Date header may be wrong: the longer wait holds. A change that is dated far in the
 * future, as by a clock that was wrong then, or by whoever may write managedFields, would hold it for as long: then only its own counts.
 */
export function settleWait(crd: Crd, { serverTime, settleSeconds, disprovedAt, lateAt, seen, now }: Clocks): SettleWait | null {
  if (settleSeconds === 0) return null;
  const wholeMs = settleSeconds * 1_000;
  const bySelf = wholeMs - (now - seen.at);
  const changed = changedAt(crd, seen, serverTime);
  // Both times are cut to whole seconds, so it adds one second.
  const byServer = isFarAhead(changed, serverTime) ? bySelf : wholeMs + 1_000 - (serverTime - changed);
  const byDisproof = disprovedAt === null ? 0 : wholeMs - (now - disprovedAt);
  const byHang = lateAt === null ? 0 : wholeMs - (now - lateAt);
  const ms = Math.max(byServer, bySelf, byDisproof, byHang);
  if (ms <= 0) return null;
  return { ms, because: because() };

  function because(): string {
    if (ms === byDisproof)
      return `An object above the settle point was just found ${STORED_OTHERWISE}: crdshift waits ${settleSeconds} s again.`;
    if (ms === byHang)
      return `An API server may have hung: crdshift saw its identity Lease renewed late. The wait of ${settleSeconds} s starts again from then.`;
    if (seen.sawChange && Math.abs(byServer - 1_000 - bySelf) > DISAGREE_MS) {
      const [theirs, own] = [byServer - 1_000, bySelf].map((left) => Math.round((wholeMs - left) / 1_000));
      return `By the API server's clock, the spec changed ${theirs} s ago; by crdshift's, ${own} s ago. Check the clocks; the longer wait counts.`;
    }
    if (ms === bySelf) {
      return `crdshift first saw this spec less than ${settleSeconds} s ago: a slow request may still be stored at an older version.`;
    }
    return `The spec changed less than ${settleSeconds} s ago: a slow request may still be stored at an older version.`;
  }
}

function isFarAhead(changed: number, serverTime: number): boolean {
  return changed - serverTime > FAR_AHEAD_MS;
}

// An unreadable time counts as now: an unneeded wait is safer.
function changedAt(crd: Crd, { specChangedAt }: Pick<FirstSeen, "specChangedAt">, serverTime: number): number {
  const noted = readableRecord(crd)?.generationSeen;
  const changed = Date.parse(specChangedAt ?? (noted?.generation === crd.generation ? noted.at : ""));
  return Number.isNaN(changed) ? serverTime : changed;
}

/**
 * Whether the wait after the last spec change is over, so that whatever API server answers knows the spec. A process that has just begun
 * relies on the server's clock, if its own agrees. Throws the errors of reading the definition.
 */
export async function hasSettled(connection: Connection, crdName: string, identity: CrdIdentity, signal: AbortSignal): Promise<boolean> {
  const lastRestore = noticedRestore(connection);
  const { crd, serverTime } = await readCrd(connection, crdName, signal);
  if (restoredSince(connection, lastRestore)) return false;
  if (identityChange(crd, identity)) return false;
  if (validSettlePoint(withOwnEvidence(connection, crd)) !== null) return true;
  const seen = noteRead(connection, crd);
  const isTrusted = serverTime !== null && !isFarAhead(changedAt(crd, seen, serverTime), serverTime);
  const clocksAgree = isTrusted && Math.abs(serverTime - Date.now()) <= DISAGREE_MS;
  const at = clocksAgree && !seen.sawChange ? Number.NEGATIVE_INFINITY : seen.at;
  const clocks = { serverTime: serverTime ?? Date.now(), settleSeconds: crd.settleSeconds, now: performance.now() };
  return settleWait(crd, { ...clocks, disprovedAt: disprovedAt(connection, crd.uid), lateAt: null, seen: { ...seen, at } }) === null;
}
