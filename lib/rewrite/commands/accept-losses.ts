import { AppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { type DryRunRecord, describeLosses, unacceptedLosses } from "#lib/domain/losses/dry-run.ts";
import type { Loss } from "#lib/domain/losses/losses.ts";
import { type AcceptedLosses, crdIdentity, identityChange, type Run, validDryRun } from "#lib/domain/rewrite/run.ts";

/** The acknowledgement, as the run and its proof keep it: of what a dry run of this very definition told, or unseen. */
export function acceptLosses(crd: Crd, by: string, keepOwnership: boolean): AcceptedLosses {
  const dryRun = validDryRun(crd);
  const losses = dryRun ? unacceptedLosses(dryRun, { keepOwnership }) : [];
  return {
    by,
    at: new Date().toISOString(),
    dryRun: dryRun?.id ?? null,
    losses: losses.map(({ kind, path, objects }) => ({ kind, path, objects })),
    more: dryRun?.moreLosses ?? 0,
    unseen: !dryRun?.lossesKnown,
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

export function heldBack(dryRun: DryRunRecord | null, run: Pick<Run, "acceptedLosses" | "ownership">): HeldBack | null {
  if (!dryRun || run.acceptedLosses) return null;
  const losses = unacceptedLosses(dryRun, { keepOwnership: run.ownership.keep });
  if (losses.length > 0) {
    const nextStep = losses.every(({ kind }) => kind === "managed-fields")
      ? "Keep ownership, which carries managedFields over, or accept the loss."
      : "Give the fields a place in the storage version's schema, or accept the loss; that becomes part of the proof.";
    return { message: `${describeLosses(losses)}.`, nextStep, losses };
  }
  if (dryRun.lossesKnown) return null;
  const message = `What would be lost is not known. ${dryRun.lossesUnknownBecause ?? ""}`.trimEnd();
  return { message, nextStep: "Or accept losses unseen; that becomes part of the proof.", losses };
}

/** Throws precondition_failed, with the losses, when something holds the run back. */
export function refuseUnacceptedLosses(dryRun: DryRunRecord | null, run: Pick<Run, "acceptedLosses" | "ownership">): void {
  const held = heldBack(dryRun, run);
  if (!held) return;
  throw new AppError("precondition_failed", `The rewrite is held back: ${held.message}`, {
    nextStep: held.nextStep,
    details: { losses: held.losses, dryRun: dryRun?.id },
  });
}

/** Throws precondition_failed when the losses that were accepted are not those of the newest dry run. */
export function refuseOtherDryRun(dryRun: DryRunRecord | null, accepted: string): void {
  if (dryRun?.id === accepted) return;
  throw new AppError("precondition_failed", "The dry run whose losses were accepted is not the newest of the definition as it is.", {
    nextStep: "Look at the newest one, or make one, and accept what it tells.",
    details: { losses: dryRun?.losses ?? [], dryRun: dryRun?.id ?? null },
  });
}
