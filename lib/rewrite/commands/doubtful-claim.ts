import { underOneKey } from "#lib/cluster/definitions/evidence/own-key.ts";
import { AppError } from "#lib/contract/app-error.ts";

/** Refuses a prune because of what is wrong with a claimed proof, without its period. */
export function doubtfulClaim(fault: string, nextStep: string): AppError {
  return new AppError("precondition_failed", `This crdshift didn't make the recorded proof, and can't rely on it: ${fault}.`, { nextStep });
}

/** The same refusal where what was found isn't on record yet. Its details say so, too. */
export function asUnrecorded({ code, message, nextStep, clusterMessage, details, cause }: AppError): AppError {
  const unrecorded = { nextStep: [UNRECORDED, nextStep].filter(Boolean).join(" "), details: { ...details, unrecorded: true } };
  return new AppError(code, message, { ...unrecorded, clusterMessage, cause });
}

const UNRECORDED =
  "crdshift couldn't record yet what it found of the proof. Until it has, which it tries for up to ten minutes, another crdshift may prune on it.";

/** What to do where a claimed proof isn't verified. */
export function rewriteFirst(crdName: string): string {
  return underOneKey(`Rewrite ${crdName}, which shows its progress, then prune.`);
}
