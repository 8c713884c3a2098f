import type { ObjectMetadata } from "#lib/cluster/objects/object-pages.ts";
import type { Kept } from "#lib/rewrite/run/object/keep-ownership.ts";
import type { LossGuard } from "./loss-guard.ts";

/**
 * Notes whether a write that nothing checked has changed the object: an empty patch at the resourceVersion that was listed raises no
 * generation, unless it adds a default or something in admission has changed the object.
 */
export function noteRaised(
  { admission, expectedRises }: Pick<LossGuard, "admission" | "expectedRises">,
  object: ObjectMetadata,
  kept: Kept,
): void {
  if (admission === null || typeof kept === "string" || kept.generation === null || object.generation === null) return;
  if (kept.generation <= object.generation) return;
  // Entries are carried over in the object as it is by then: someone else may have changed it since the list.
  if (kept.kept) admission.distrust();
  else admission.raised(expectedRises);
}
