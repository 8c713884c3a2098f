import { AppError } from "#lib/contract/app-error.ts";
import { underOneKey } from "./under-one-key.ts";

/** Refuses a prune because of what is wrong with a claimed proof, without its period. */
export function doubtfulClaim(fault: string, nextStep: string): AppError {
  return new AppError("precondition_failed", `This crdshift didn't make the recorded proof, and can't rely on it: ${fault}.`, { nextStep });
}

/** What to do where a claimed proof isn't verified. */
export function rewriteFirst(crdName: string): string {
  return underOneKey(`Rewrite ${crdName}, which shows its progress, then prune.`);
}
