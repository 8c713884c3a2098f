import { AppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { describeLosses, type PreflightRecord, unacceptedLosses } from "#lib/domain/losses/dry-run.ts";
import type { Loss } from "#lib/domain/losses/losses.ts";
import { type AcceptedLosses, crdIdentity, identityChange, type Run, validPreflight } from "#lib/domain/rewrite/run.ts";

/** The acknowledgement, as the run and its proof keep it: of what a dry run of this very definition told, or unseen. */
export function acceptLosses(crd: Crd, by: string, keepOwnership: boolean): AcceptedLosses {
  const preflight = validPreflight(crd);
  const losses = preflight ? unacceptedLosses(preflight, { keepOwnership }) : [];
  return {
    by,
    at: new Date().toISOString(),
    preflight: preflight?.id ?? null,
    losses: losses.map(({ kind, path, objects }) => ({ kind, path, objects })),
    more: preflight?.moreLosses ?? 0,
    unseen: !preflight?.lossesKnown,
    of: crdIdentity(crd),
  };
}

/** What was accepted, if it was for the definition as it is: another schema loses other things. */
export function stillAccepted(accepted: AcceptedLosses | null, crd: Crd): AcceptedLosses | null {
  return accepted?.of && identityChange(crd, accepted.of) === null ? accepted : null;
}

/** Whether managedFields may vanish: not for the sake of a field that somebody agreed to lose, should a webhook fail meanwhile. */
export function acceptsLostOwnership(accepted: AcceptedLosses | null): boolean {
  return accepted !== null && (accepted.unseen || accepted.more > 0 || accepted.losses.some(({ kind }) => kind === "managed-fields"));
}

/** What holds a rewrite back: losses that a dry run told, or that it could not tell, and that nobody has accepted. */
export interface HeldBack {
  message: string;
  nextStep: string;
  losses: Loss[];
}

export function heldBack(preflight: PreflightRecord | null, run: Pick<Run, "acceptedLosses" | "ownership">): HeldBack | null {
  if (!preflight || run.acceptedLosses) return null;
  const losses = unacceptedLosses(preflight, { keepOwnership: run.ownership.keep });
  if (losses.length > 0) {
    const nextStep = losses.every(({ kind }) => kind === "managed-fields")
      ? "Keep ownership, which carries managedFields over, or accept the loss."
      : "Give the fields a place in the storage version's schema, or accept the loss; that becomes part of the proof.";
    return { message: `${describeLosses(losses)}.`, nextStep, losses };
  }
  if (preflight.lossesKnown) return null;
  const message = `What would be lost is not known. ${preflight.lossesUnknownBecause ?? ""}`.trimEnd();
  return { message, nextStep: "Or accept losses unseen; that becomes part of the proof.", losses };
}

/** Throws precondition_failed, with the losses, when something holds the run back. */
export function refuseUnacceptedLosses(preflight: PreflightRecord | null, run: Pick<Run, "acceptedLosses" | "ownership">): void {
  const held = heldBack(preflight, run);
  if (!held) return;
  throw new AppError("precondition_failed", `The rewrite is held back: ${held.message}`, {
    nextStep: held.nextStep,
    details: { losses: held.losses, preflight: preflight?.id },
  });
}

/** Throws precondition_failed when the losses that were accepted are not those of the newest dry run. */
export function refuseOtherPreflight(preflight: PreflightRecord | null, accepted: string): void {
  if (preflight?.id === accepted) return;
  throw new AppError("precondition_failed", "The dry run whose losses were accepted is not the newest of the definition as it is.", {
    nextStep: "Look at the newest one, or make one, and accept what it tells.",
    details: { losses: preflight?.losses ?? [], preflight: preflight?.id ?? null },
  });
}
