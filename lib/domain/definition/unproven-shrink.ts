import { declaredBySuccess } from "#lib/domain/rewrite/migration.ts";
import { readableRecord, validProof } from "#lib/domain/rewrite/run.ts";
import type { Crd } from "./crd.ts";

/**
 * The versions that vanished from status.storedVersions with nothing to prove that no object is stored in them: those of
 * `before`, what was known of the definition until now (null when nothing was), and those `remembered` from earlier, until
 * they come back or a proof holds. Anybody may write that list, and some engines shorten it with objects left behind.
 */
export function unprovenShrink(before: Crd | null, now: Crd, remembered: readonly string[]): string[] {
  // The cluster's own engine shortens the list when it succeeds, and is believed so far; that is not taken for a proof.
  if (validProof(now) || declaredBySuccess(now)) return [];
  const vanished = before?.uid === now.uid && !validProof(before) ? before.storedVersions.filter((version) => isReal(before, version)) : [];
  const candidates = new Set([...remembered, ...vanished.filter((version) => !isNewlyPruned(before, now, version))]);
  return [...candidates].filter((version) => !now.storedVersions.includes(version));
}

// A name that the spec does not have was somebody's mistake; taking it out again is its repair.
function isReal(crd: Crd, version: string): boolean {
  return crd.versions.some(({ name }) => name === version);
}

// crdshift prunes on a proof only; by the time that its prune is seen, that proof may no longer hold.
function isNewlyPruned(before: Crd | null, now: Crd, version: string): boolean {
  const prune = readableRecord(now)?.prune;
  const known = before && readableRecord(before)?.prune;
  return prune?.versions.includes(version) === true && prune.prunedAt !== known?.prunedAt;
}
