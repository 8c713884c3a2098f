import type { ClusterAddress } from "#lib/cluster/connection/cluster-key.ts";
import { compareResourceVersions } from "#lib/domain/objects/resource-version.ts";
import type { Proof, SettlePoint } from "#lib/domain/record/rewrite-record.ts";
import { isUndone } from "./evidence-before-restore.ts";
import { perDefinition } from "./per-definition.ts";

/**
 * An object that was not stored at the storage version, or could not be rewritten. Both are resourceVersions, because only the API server
 * says what came first: the clocks of two crdshifts differ.
 */
export interface Finding {
  /** The object's, as it was found: a settle point below it is wrong. */
  objectAt: string;
  /** The earliest at which the finding is dealt with: a proof verified below it did not take the object into account. */
  foundAt: string;
}

/** Of all findings, the latest of each kind decides. */
const findings = perDefinition<Finding>("withdrawn-evidence");

/** Makes the evidence that a finding disproves worthless to this process: whoever may patch the definition could write it back. */
export function withdrawEvidence(cluster: ClusterAddress, uid: string, finding: Finding): void {
  const known = findings.get(cluster, uid) ?? finding;
  findings.set(cluster, uid, { objectAt: later(known.objectAt, finding.objectAt), foundAt: later(known.foundAt, finding.foundAt) });
}

/** Whether this process has withdrawn it, or a restore of etcd has. A proof is worth no more than the settle point on which it rests. */
export function wasWithdrawn(cluster: ClusterAddress, part: Proof | SettlePoint): boolean {
  const known = findings.get(cluster, part.uid);
  return isUndone(cluster, part) || (known !== undefined && isDisproved(part, known));
}

/** Whether a finding disproves it. */
export function isDisproved(part: Proof | SettlePoint, { objectAt, foundAt }: Finding): boolean {
  if ("takenAt" in part) return isBelow(part.resourceVersion, objectAt);
  return isBelow(part.verifiedResourceVersion, foundAt) || isBelow(part.settleResourceVersion, objectAt);
}

/**
 * After a restore of etcd to `to`, lets evidence of the resourceVersions that are given out again hold, since it is newer than the findings.
 * Returns the latest resourceVersion that they had.
 */
export function lowerFindings(cluster: ClusterAddress, uid: string, to: string): string {
  const known = findings.get(cluster, uid);
  if (!known) return to;
  findings.set(cluster, uid, { objectAt: earlier(known.objectAt, to), foundAt: earlier(known.foundAt, to) });
  return later(to, later(known.objectAt, known.foundAt));
}

function isBelow(a: string, b: string): boolean {
  return compareResourceVersions(a, b) < 0;
}

function later(a: string, b: string): string {
  return isBelow(a, b) ? b : a;
}

function earlier(a: string, b: string): string {
  return isBelow(a, b) ? a : b;
}
