import { lastPrune } from "#lib/domain/record/last-prune.ts";
import { truthfulProof, validProof } from "#lib/domain/record/valid-evidence.ts";
import { declaredBySuccess } from "#lib/domain/rewrite/other-engines.ts";
import { type Crd, versionNames } from "./crd.ts";

/** Of each kind and definition. Any of them holds back a prune, and whoever may change the definition could make thousands. */
export const MOST_UNPROVEN = 100;

/**
 * The versions removed from status.storedVersions without a proof that no object is stored in them: those listed in `before`, the
 * last known definition (null when there is none), and those `remembered` from earlier, until they return or a valid proof exists. Also
 * the `lost` ones, in which the API server has found objects, so that someone must have removed them too early.
 * Any client may write that list, and some engines shorten it with objects left behind. A proof that another crdshift had recorded before
 * is accepted if it has the same key; one that turns up afterwards, or that anyone may have written, is not.
 */
export function unprovenShrink(before: Crd | null, now: Crd, remembered: readonly string[], lost: readonly string[] = []): string[] {
  if (validProof(now)) return [];
  // A proof of an earlier spec says nothing of what was stored between the two looks.
  const wasProven = before?.generation === now.generation && validProof(before) !== null;
  const vanished = before?.uid === now.uid && !wasProven ? vanishedUnpruned(before, now) : [];
  // The cluster's own engine shortens the list on success. That is accepted here, but not as a proof.
  const candidates = new Set([...(declaredBySuccess(now) ? [] : [...remembered, ...vanished]), ...lost]);
  const listed = new Set(now.storedVersions);
  return [...candidates].filter((version) => !listed.has(version)).slice(0, MOST_UNPROVEN);
}

// A name missing from the spec was a mistake; removing it fixes the list.
function vanishedUnpruned(before: Crd, now: Crd): string[] {
  const pruned = newlyPruned(before, now);
  return before.storedVersions.filter((version) => versionNames(before).has(version) && !pruned.has(version));
}

// crdshift prunes only with a proof of the spec as it is then, but that proof may be void by the time the prune is seen. Prunes are not
// signed, so anyone could write one for a proof of an earlier spec, which says nothing about what was stored later.
function newlyPruned(before: Crd, now: Crd): ReadonlySet<string> {
  const prune = lastPrune(now);
  const proof = truthfulProof(now);
  if (!proof || proof.generation < before.generation || proof.runId !== prune?.runId) return new Set();
  return new Set(prune.prunedAt === lastPrune(before)?.prunedAt ? [] : prune.versions);
}
