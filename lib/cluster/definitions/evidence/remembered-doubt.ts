import type { ClusterAddress } from "#lib/cluster/connection/cluster-key.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { compareResourceVersions } from "#lib/domain/objects/resource-version.ts";
import { keptDoubt } from "#lib/domain/record/doubt.ts";
import { type Doubt, readableRecord } from "#lib/domain/record/rewrite-record.ts";
import { truthfulProof } from "#lib/domain/record/valid-evidence.ts";
import { perDefinition } from "./per-definition.ts";

interface KnownDoubt {
  doubt: Doubt;
  /** The definition's resourceVersion when it was first seen. */
  seenAt: string;
  /** The newest run then, if it had no proof yet: one of it ends the doubt, though its last list may be older. */
  run: string | null;
}

const doubts = perDefinition<KnownDoubt>("remembered-doubts");

/** The last doubt that a proof ended, and the definition's resourceVersion when that was seen: a restore of etcd may undo the proof. */
const endedDoubts = perDefinition<{ ended: KnownDoubt; at: string }>("ended-doubts");

/** Remembers the doubt in a definition's record as just seen: whoever may patch the definition could write an older record back. */
export function noteDoubt(cluster: ClusterAddress, crd: Crd): void {
  const before = doubts.get(cluster, crd.uid);
  const known = before && !isEnded(before, crd) ? before : null;
  if (!known) doubts.forget(cluster, crd.uid);
  if (before && !known) endedDoubts.set(cluster, crd.uid, { ended: before, at: crd.resourceVersion });
  const doubt = keptDoubt({ ...crd, rememberedDoubt: known?.doubt ?? null }, Date.now());
  if (!doubt) return;
  const run = known ? known.run : newestUnproven(crd);
  doubts.set(cluster, crd.uid, { doubt, seenAt: known?.seenAt ?? crd.resourceVersion, run });
}

/**
 * Remembers a doubt that `run` could not write: whatever this process writes into the record next has it. A later doubt that it knows by then
 * stays, for which a proof must be newer.
 */
export function rememberDoubt(cluster: ClusterAddress, uid: string, found: KnownDoubt): void {
  const known = doubts.get(cluster, uid);
  const isLater = known !== undefined && compareResourceVersions(known.seenAt, found.seenAt) > 0;
  const rejected = Math.max(found.doubt.rejected, known?.doubt.rejected ?? 0);
  doubts.set(cluster, uid, { ...(isLater ? known : found), doubt: { rejected } });
}

/** The doubt that this process has seen in the definition's record, unless the record has a proof that ends it; null when there is none. */
export function rememberedDoubt(cluster: ClusterAddress, crd: Crd): Doubt | null {
  const known = doubts.get(cluster, crd.uid);
  return known && !isEnded(known, crd) ? known.doubt : null;
}

/**
 * After a restore of etcd to `to`, lets a proof of the resourceVersions that are given out again end the doubt, and takes back a doubt that
 * ended since. Returns the one at which it was seen.
 */
export function lowerDoubt(cluster: ClusterAddress, uid: string, to: string): string {
  const known = doubts.get(cluster, uid) ?? endedSince(cluster, uid, to);
  if (!known) return to;
  const isLater = compareResourceVersions(known.seenAt, to) > 0;
  doubts.set(cluster, uid, isLater ? { ...known, seenAt: to, run: null } : known);
  return isLater ? known.seenAt : to;
}

function endedSince(cluster: ClusterAddress, uid: string, to: string): KnownDoubt | null {
  const last = endedDoubts.get(cluster, uid);
  return last && compareResourceVersions(last.at, to) > 0 ? last.ended : null;
}

// A proof that it already had is older than the doubt, which may be about that proof.
function newestUnproven(crd: Crd): string | null {
  const newest = readableRecord(crd)?.runs[0];
  return newest && newest.phase !== "succeeded" ? newest.id : null;
}

// Only a proof of this installation, since anyone can write that a run succeeded.
function isEnded({ seenAt, run }: KnownDoubt, crd: Crd): boolean {
  const proof = truthfulProof({ ...crd, rememberedDoubt: null });
  return proof !== null && (proof.runId === run || compareResourceVersions(proof.verifiedResourceVersion, seenAt) > 0);
}
