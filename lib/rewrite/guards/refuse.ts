import { AppError } from "#lib/contract/app-error.ts";
import type { Refusal } from "#lib/domain/rewrite/refusals.ts";

/** A refusal as an error: `conflict` if a run is in the way, else `precondition_failed`. */
export function refuse({ message, nextStep, run }: Refusal): AppError {
  return new AppError(run ? "conflict" : "precondition_failed", message, { nextStep, ...(run && { details: { run } }) });
}
