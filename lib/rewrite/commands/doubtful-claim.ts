import { underOneKey } from "#lib/cluster/definitions/evidence/own-key.ts";
import { AppError } from "#lib/contract/app-error.ts";

/** Refuses a prune because of what is wrong with a claimed proof, without its period. */
export function doubtfulClaim(fault: string, nextStep: string): AppError {
  return new AppError("precondition_failed", `This crdshift didn't make the recorded proof, and can't rely on it: ${fault}.`, { nextStep });
}

/** The same refusal where what was found isn't on record yet. Its details say so, too. */
export function asUnrecorded({ code, message, nextStep }: AppError): AppError {
  return new AppError(code, message, { nextStep: [UNRECORDED, nextStep].filter(Boolean).join(" "), details: { unrecorded: true } });
}

const UNRECORDED =
  "crdshift couldn't record this yet, and tries again for up to ten minutes. Until then, another crdshift may still prune on that proof.";

/** What to do where a claimed proof isn't verified. */
export function rewriteFirst(crdName: string): string {
  return underOneKey(`Rewrite ${crdName}, which shows its progress, then prune.`);
}
