import { type ClusterAddress, clusterKey } from "#lib/cluster/connection/cluster-key.ts";
import type { RestoredEtcd } from "#lib/domain/definition/restored-etcd.ts";
import { compareResourceVersions } from "#lib/domain/objects/resource-version.ts";
import type { Evidence } from "#lib/domain/record/rewrite-record.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";

/** The resourceVersions that a restore of etcd undid, and that it gives out again: those above `to`, up to `from`. */
export interface Undone {
  to: string;
  from: string;
}

/**
 * Makes all evidence of these resourceVersions worthless to this process, whoever signed it, except what this process signs from now on:
 * the objects that it speaks of are gone, but later ones get the same resourceVersions.
 */
export function noteUndone(cluster: ClusterAddress, undone: Undone): void {
  const known = restores().get(clusterKey(cluster)) ?? undone;
  const [to] = inOrder(known.to, undone.to);
  const [, from] = inOrder(known.from, undone.from);
  restores().set(clusterKey(cluster), { to, from, at: new Date().toISOString() });
  signedSince().set(clusterKey(cluster), new Set());
}

/** The restores of etcd that this process has noticed in that cluster, as one; null if it has noticed none. */
export function noticedRestore(cluster: ClusterAddress): RestoredEtcd | null {
  return restores().get(clusterKey(cluster)) ?? null;
}

/**
 * Whether this process has noticed another restore since `last` was the last one that it had noticed: what it had read by then may be undone,
 * and what it signs from now on must not rest on it.
 */
export function restoredSince(cluster: ClusterAddress, last: RestoredEtcd | null): boolean {
  return noticedRestore(cluster) !== last;
}

/** Whether it is evidence about objects that a restore of etcd undid, or can't be told from such. */
export function isUndone(cluster: ClusterAddress, part: Evidence): boolean {
  const known = restores().get(clusterKey(cluster));
  if (!known || (part.signature !== null && signedSince().get(clusterKey(cluster))?.has(part.signature))) return false;
  return listedAt(part).some((one) => compareResourceVersions(one, known.to) > 0 && compareResourceVersions(one, known.from) <= 0);
}

function listedAt(part: Evidence): string[] {
  if ("provenAt" in part) return [part.settleResourceVersion, part.verifiedResourceVersion];
  return part.resourceVersion === null ? [] : [part.resourceVersion];
}

/** Notes that this process has just made this evidence. */
export function noteSigned(signature: string | null): void {
  if (signature !== null) for (const signatures of signedSince().values()) signatures.add(signature);
}

/** Notes that this process has just signed what is left of evidence that has the signature `before`. */
export function noteResigned(before: string | null, signature: string | null): void {
  if (before === null || signature === null) return;
  for (const signatures of signedSince().values()) if (signatures.has(before)) signatures.add(signature);
}

/** Whether this process made this evidence after the last restore of that cluster that it noticed, if it noticed any. */
export function wasSignedSinceRestore(cluster: ClusterAddress, signature: string | null): boolean {
  return signature !== null && (signedSince().get(clusterKey(cluster))?.has(signature) ?? true);
}

function inOrder(a: string, b: string): [string, string] {
  return compareResourceVersions(a, b) <= 0 ? [a, b] : [b, a];
}

/** By clusterKey. */
function restores(): Map<string, RestoredEtcd> {
  return processWide("restores", () => new Map());
}

/** What this process has signed since the last restore of a cluster, by clusterKey. */
function signedSince(): Map<string, Set<string>> {
  return processWide("signed-since-restore", () => new Map());
}
