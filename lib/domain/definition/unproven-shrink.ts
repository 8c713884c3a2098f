import { declaredBySuccess } from "#lib/domain/rewrite/other-engines.ts";
import { readableRecord, truthfulProof, validProof } from "#lib/domain/rewrite/valid-proof.ts";
import type { Crd } from "./crd.ts";

/**
 * The versions removed from status.storedVersions without a proof that no object is stored in them: those listed in `before`, the
 * last known definition (null when there is none), and those `remembered` from earlier, until they return or a valid proof exists.
 * Any client may write that list, and some engines shorten it with objects left behind. A proof that another crdshift had recorded before
 * is accepted if it has the same key; one that turns up afterwards, or that anyone may have written, is not.
 */
export function unprovenShrink(before: Crd | null, now: Crd, remembered: readonly string[]): string[] {
  // The cluster's own engine shortens the list on success. That is accepted here, but not as a proof.
  if (validProof(now) || declaredBySuccess(now)) return [];
  const vanished = before?.uid === now.uid && !validProof(before) ? before.storedVersions.filter((version) => isReal(before, version)) : [];
  const candidates = new Set([...remembered, ...vanished.filter((version) => !isNewlyPruned(before, now, version))]);
  return [...candidates].filter((version) => !now.storedVersions.includes(version));
}

// A name missing from the spec was a mistake; removing it fixes the list.
function isReal(crd: Crd, version: string): boolean {
  return crd.versions.some(({ name }) => name === version);
}

// crdshift prunes only with a proof, but that proof may be void by the time the prune is seen.
function isNewlyPruned(before: Crd | null, now: Crd, version: string): boolean {
  const prune = readableRecord(now)?.prune;
  if (truthfulProof(now)?.runId !== prune?.runId) return false;
  const known = before && readableRecord(before)?.prune;
  return prune?.versions.includes(version) === true && prune.prunedAt !== known?.prunedAt;
}
