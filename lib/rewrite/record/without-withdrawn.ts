import type { ClusterAddress } from "#lib/cluster/connection/cluster-key.ts";
import { type Finding, isDisproved, wasWithdrawn } from "#lib/cluster/definitions/evidence/withdrawn-evidence.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { withDoubt } from "#lib/domain/record/doubt.ts";
import type { Proof, RewriteRecord, SettlePoint } from "#lib/domain/record/rewrite-record.ts";

/**
 * The record without the evidence that this process has withdrawn, or that these findings disprove, whoever signed it; the same object if it
 * has none.
 */
export function withoutWithdrawn(cluster: ClusterAddress, record: RewriteRecord, found: readonly Finding[] = []): RewriteRecord {
  const isWrong = (part: Proof | SettlePoint) => wasWithdrawn(cluster, part) || found.some((finding) => isDisproved(part, finding));
  const proof = record.proof && isWrong(record.proof) ? null : record.proof;
  const settlePoint = record.settlePoint && isWrong(record.settlePoint) ? null : record.settlePoint;
  return proof === record.proof && settlePoint === record.settlePoint ? record : { ...record, proof, settlePoint };
}

/** The same, with a doubt for the object that was just found: more of them may be stored at another version. */
export function withDoubtForWithdrawn(
  cluster: ClusterAddress,
  record: RewriteRecord,
  crd: Pick<Crd, "versions">,
  found: readonly Finding[] = [],
): RewriteRecord {
  return withDoubt(withoutWithdrawn(cluster, record, found), crd);
}
