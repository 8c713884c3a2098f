import { AppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { type DryRunRecord, describeLosses, unacceptedLosses } from "#lib/domain/losses/dry-run.ts";
import type { Loss } from "#lib/domain/losses/losses.ts";
import { crdIdentity, identityChange } from "#lib/domain/rewrite/identity.ts";
import type { AcceptedLosses, Run } from "#lib/domain/rewrite/run.ts";
import { validDryRun } from "#lib/domain/rewrite/valid-proof.ts";

/** The acknowledgement that the run and its proof record: of the losses in the valid dry run, or unseen without one. */
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

/** The accepted losses if they still apply to this definition; null after a change, because another schema loses other fields. */
export function stillAccepted(accepted: AcceptedLosses | null, crd: Crd): AcceptedLosses | null {
  return accepted?.of && identityChange(crd, accepted.of) === null ? accepted : null;
}

/** Whether managedFields may be lost. Accepting the loss of a field does not cover managedFields that a failing webhook empties. */
export function acceptsLostOwnership(accepted: AcceptedLosses | null): boolean {
  return accepted !== null && (accepted.unseen || accepted.more > 0 || accepted.losses.some(({ kind }) => kind === "managed-fields"));
}

/** Why a rewrite is held back: losses that a dry run found, or could not determine, and that are not accepted. */
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
      ? "Keep ownership to carry managedFields over, or accept the loss."
      : "Add the fields to the storage version's schema, or accept the loss. The proof records what you accept.";
    return { message: `${describeLosses(losses)}.`, nextStep, losses };
  }
  if (dryRun.lossesKnown) return null;
  const message = `crdshift can't tell what would be lost. ${dryRun.lossesUnknownBecause ?? ""}`.trimEnd();
  return { message, nextStep: "You can also accept losses unseen. The proof records that.", losses };
}

/** Throws precondition_failed, with the losses, if the run is held back. */
export function refuseUnacceptedLosses(dryRun: DryRunRecord | null, run: Pick<Run, "acceptedLosses" | "ownership">): void {
  const held = heldBack(dryRun, run);
  if (!held) return;
  throw new AppError("precondition_failed", `The rewrite is held back: ${held.message}`, {
    nextStep: held.nextStep,
    details: { losses: held.losses, dryRun: dryRun?.id },
  });
}

/** Throws precondition_failed unless the accepted losses are those of the newest dry run. */
export function refuseOtherDryRun(dryRun: DryRunRecord | null, accepted: string): void {
  if (dryRun?.id === accepted) return;
  throw new AppError("precondition_failed", "You accepted the losses of a dry run that isn't the newest one for the current definition.", {
    nextStep: "Review the newest dry run, or start one, then accept its losses.",
    details: { losses: dryRun?.losses ?? [], dryRun: dryRun?.id ?? null },
  });
}
