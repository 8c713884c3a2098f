import type { ClusterAddress } from "#lib/cluster/connection/cluster-key.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { readableRecord } from "#lib/domain/record/rewrite-record.ts";
import { isOurs, isOwnDryRun } from "./evidence-signature.ts";

/** Which evidence in a definition's record is only a claim: this installation didn't sign it, or this process knows better by now. */
export function claimsIn(cluster: ClusterAddress, crd: Pick<Crd, "record">): Crd["claims"] {
  const { proof = null, settlePoint = null, dryRun = null } = readableRecord(crd) ?? {};
  return {
    proof: proof !== null && !isOurs(cluster, proof),
    settlePoint: settlePoint !== null && !isOurs(cluster, settlePoint),
    dryRun: dryRun !== null && !isOwnDryRun(cluster, dryRun),
  };
}
