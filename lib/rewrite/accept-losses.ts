import { AppError } from "#lib/contract/app-error.ts";
import { describeLosses, type PreflightRecord, unacceptedLosses } from "#lib/domain/preflight.ts";
import type { AcceptedLosses, Run } from "#lib/domain/rewrite.ts";

/** The acknowledgement, as the run and its proof keep it: of what a dry run told, or unseen. */
export function acceptLosses(preflight: PreflightRecord | null, by: string, keepOwnership: boolean): AcceptedLosses {
  const losses = preflight ? unacceptedLosses(preflight, { keepOwnership }) : [];
  return {
    by,
    at: new Date().toISOString(),
    preflight: preflight?.id ?? null,
    losses: losses.map(({ kind, path, objects }) => ({ kind, path, objects })),
    more: preflight?.moreLosses ?? 0,
  };
}

/** Throws precondition_failed with the losses when a dry run told of some that the run has not accepted. */
export function refuseUnacceptedLosses(preflight: PreflightRecord | null, run: Pick<Run, "acceptedLosses" | "ownership">): void {
  const losses = preflight && !run.acceptedLosses ? unacceptedLosses(preflight, { keepOwnership: run.ownership.keep }) : [];
  if (losses.length === 0) return;
  throw new AppError("precondition_failed", `The rewrite would lose something: ${describeLosses(losses)}.`, {
    nextStep: nextStepOf(losses.every(({ kind }) => kind === "managed-fields")),
    details: { losses, preflight: preflight?.id },
  });
}

/** What a person can do about losses that hold a rewrite back. */
export function nextStepOf(onlyManagedFields: boolean): string {
  return onlyManagedFields
    ? "Keep ownership, which carries managedFields over (keepOwnership), or accept the loss (acceptLosses)."
    : "Give the fields a place in the storage version's schema, or accept the loss (acceptLosses); that becomes part of the proof.";
}
