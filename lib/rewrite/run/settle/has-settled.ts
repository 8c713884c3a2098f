import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { withOwnEvidence } from "#lib/cluster/definitions/evidence/evidence-signature.ts";
import { noteSeen } from "#lib/cluster/definitions/evidence/first-seen.ts";
import { type CrdIdentity, identityChange } from "#lib/domain/rewrite/identity.ts";
import { validSettlePoint } from "#lib/domain/rewrite/valid-proof.ts";
import { DISAGREE_MS, settleWait } from "./settle-wait.ts";

/**
 * Whether the wait after the last spec change is over, so that whatever API server answers knows the spec. A process that has just begun
 * relies on the server's clock, if its own agrees. Throws the errors of reading the definition.
 */
export async function hasSettled(connection: Connection, crdName: string, identity: CrdIdentity, signal: AbortSignal): Promise<boolean> {
  const { crd, serverTime } = await readCrd(connection, crdName, signal);
  if (identityChange(crd, identity)) return false;
  if (validSettlePoint(withOwnEvidence(connection, crd)) !== null) return true;
  const seen = noteSeen(connection, crd);
  const clocksAgree = serverTime !== null && Math.abs(serverTime - Date.now()) <= DISAGREE_MS;
  const at = clocksAgree && !seen.sawChange ? Number.NEGATIVE_INFINITY : seen.at;
  const clocks = { serverTime: serverTime ?? Date.now(), settleSeconds: crd.settleSeconds, now: performance.now() };
  return settleWait(crd, { ...clocks, disprovedAt: null, lateAt: null, seen: { ...seen, at } }) === null;
}
