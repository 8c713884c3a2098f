import type { Connection } from "#lib/cluster/connection/connection.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { declaredBySuccess, prunedUnderRun } from "#lib/domain/rewrite/other-engines.ts";
import { validProof } from "#lib/domain/rewrite/valid-proof.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";
import { definitionKey } from "./definition-key.ts";

type Cluster = Pick<Connection, "server">;

/**
 * Remembers which versions a delegated run's record says the cluster's own engine removed too early, at `now` (ms), from the definition as
 * last seen: whoever may patch the definition could write another record.
 */
export function noteShrink(cluster: Cluster, crd: Crd, now: number): void {
  const told = [...new Set([...rememberedShrink(cluster, crd), ...prunedUnderRun(crd, now)])];
  if (told.length > 0) shrunk().set(definitionKey(cluster, crd.uid), told);
  else forgetShrink(cluster, crd.uid);
}

/** The versions remembered, without those that are listed again or gone from the spec; none once a proof or the engine covers them. */
export function rememberedShrink(cluster: Cluster, crd: Crd): string[] {
  const told = shrunk().get(definitionKey(cluster, crd.uid)) ?? [];
  if (told.length === 0 || validProof(crd) || declaredBySuccess(crd)) return [];
  return told.filter((version) => !crd.storedVersions.includes(version) && crd.versions.some(({ name }) => name === version));
}

/** Forgets a deleted definition. */
export function forgetShrink(cluster: Cluster, uid: string): void {
  shrunk().delete(definitionKey(cluster, uid));
}

/** By definitionKey. */
function shrunk(): Map<string, string[]> {
  return processWide("remembered-shrink", () => new Map());
}

/** Remembers that the API server has found an object stored in a version that the spec doesn't have. */
export function noteLostVersion(cluster: Cluster, uid: string, version: string): void {
  const key = definitionKey(cluster, uid);
  lost().set(key, [...new Set([...(lost().get(key) ?? []), version])]);
}

/** The versions remembered. */
export function lostVersions(cluster: Cluster, uid: string): readonly string[] {
  return lost().get(definitionKey(cluster, uid)) ?? [];
}

/** Forgets those of a definition that was deleted, or whose objects are proven. */
export function forgetLostVersions(cluster: Cluster, uid: string): void {
  lost().delete(definitionKey(cluster, uid));
}

/** By definitionKey. */
function lost(): Map<string, string[]> {
  return processWide("lost-versions", () => new Map());
}
