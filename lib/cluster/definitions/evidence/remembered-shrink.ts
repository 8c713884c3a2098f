import type { ClusterAddress } from "#lib/cluster/connection/cluster-key.ts";
import { type Crd, versionNames } from "#lib/domain/definition/crd.ts";
import { MOST_UNPROVEN } from "#lib/domain/definition/unproven-shrink.ts";
import { validProof } from "#lib/domain/record/valid-evidence.ts";
import { declaredBySuccess, prunedUnderRun } from "#lib/domain/rewrite/other-engines.ts";
import { perDefinition } from "./per-definition.ts";

const shrunk = perDefinition<string[]>("remembered-shrink");
const lost = perDefinition<string[]>("lost-versions");

/**
 * Remembers which versions a delegated run's record says the cluster's own engine removed too early, at `now` (ms), from the definition as
 * last seen: whoever may patch the definition could write another record.
 */
export function noteShrink(cluster: ClusterAddress, crd: Crd, now: number): void {
  const told = [...new Set([...rememberedShrink(cluster, crd), ...prunedUnderRun(crd, now)])].slice(0, MOST_UNPROVEN);
  if (told.length > 0) shrunk.set(cluster, crd.uid, told);
  else shrunk.forget(cluster, crd.uid);
}

/** The versions remembered, without those that are listed again or gone from the spec; none once a proof or the engine covers them. */
export function rememberedShrink(cluster: ClusterAddress, crd: Crd): string[] {
  const told = shrunk.get(cluster, crd.uid) ?? [];
  if (told.length === 0 || validProof(crd) || declaredBySuccess(crd)) return [];
  const listed = new Set(crd.storedVersions);
  return told.filter((version) => !listed.has(version) && versionNames(crd).has(version));
}

/** Remembers that the API server has found an object stored in a version that the spec doesn't have. */
export function noteLostVersion(cluster: ClusterAddress, uid: string, version: string): void {
  lost.set(cluster, uid, [...new Set([...lostVersions(cluster, uid), version])].slice(0, MOST_UNPROVEN));
}

/** The versions remembered. */
export function lostVersions(cluster: ClusterAddress, uid: string): readonly string[] {
  return lost.get(cluster, uid) ?? [];
}

/** Forgets those of a definition whose objects are proven. */
export function forgetLostVersions(cluster: ClusterAddress, uid: string): void {
  lost.forget(cluster, uid);
}
