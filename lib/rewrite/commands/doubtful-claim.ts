import { underOneKey } from "#lib/cluster/definitions/evidence/own-key.ts";
import { AppError } from "#lib/contract/app-error.ts";

/**
 * Refuses a prune because of what is wrong with a claimed proof, without its period. `isUnrecorded`: that isn't on record yet, and its
 * details say so, too.
 */
export function doubtfulClaim(fault: string, nextStep: string, isUnrecorded = false): AppError {
  return new AppError("precondition_failed", `This crdshift didn't make the recorded proof, and can't rely on it: ${fault}.`, {
    nextStep: isUnrecorded ? `${UNRECORDED} ${nextStep}` : nextStep,
    ...(isUnrecorded && { details: { unrecorded: true } }),
  });
}

const UNRECORDED =
  "crdshift couldn't record this yet, and tries again for up to ten minutes. Until then, another crdshift may still prune on that proof.";

/** What to do where a claimed proof isn't verified. */
export function rewriteFirst(crdName: string): string {
  return underOneKey(`Rewrite ${crdName}, which shows its progress, then prune.`);
}
