import { lastPrune } from "#lib/domain/rewrite/last-prune.ts";
import { declaredBySuccess } from "#lib/domain/rewrite/other-engines.ts";
import { truthfulProof, validProof } from "#lib/domain/rewrite/valid-proof.ts";
import type { Crd } from "./crd.ts";

/**
 * The versions removed from status.storedVersions without a proof that no object is stored in them: those listed in `before`, the
 * last known definition (null when there is none), and those `remembered` from earlier, until they return or a valid proof exists. Also
 * the `lost` ones, in which the API server has found objects, so that someone must have removed them too early.
 * Any client may write that list, and some engines shorten it with objects left behind. A proof that another crdshift had recorded before
 * is accepted if it has the same key; one that turns up afterwards, or that anyone may have written, is not.
 */
export function unprovenShrink(before: Crd | null, now: Crd, remembered: readonly string[], lost: readonly string[] = []): string[] {
  if (validProof(now)) return [];
  const vanished = before?.uid === now.uid && !validProof(before) ? vanishedUnpruned(before, now) : [];
  // The cluster's own engine shortens the list on success. That is accepted here, but not as a proof.
  const candidates = new Set([...(declaredBySuccess(now) ? [] : [...remembered, ...vanished]), ...lost]);
  return [...candidates].filter((version) => !now.storedVersions.includes(version));
}

function vanishedUnpruned(before: Crd, now: Crd): string[] {
  return before.storedVersions.filter((version) => isReal(before, version) && !isNewlyPruned(before, now, version));
}

// A name missing from the spec was a mistake; removing it fixes the list.
function isReal(crd: Crd, version: string): boolean {
  return crd.versions.some(({ name }) => name === version);
}

// crdshift prunes only with a proof of the spec as it is then, but that proof may be void by the time the prune is seen. Prunes are not
// signed, so anyone could write one for a proof of an earlier spec, which says nothing about what was stored later.
function isNewlyPruned(before: Crd, now: Crd, version: string): boolean {
  const prune = lastPrune(now);
  const proof = truthfulProof(now);
  if (!proof || proof.generation < before.generation || proof.runId !== prune?.runId) return false;
  const known = lastPrune(before);
  return prune?.versions.includes(version) === true && prune.prunedAt !== known?.prunedAt;
}
