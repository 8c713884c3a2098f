import { hasOurSignature } from "#lib/cluster/definitions/evidence/evidence-signature.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { ExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { type DryRunRecord, describeLosses, unacceptedLosses } from "#lib/domain/losses/dry-run.ts";
import { type Loss, type ObjectLoss, shownPath } from "#lib/domain/losses/losses.ts";
import { ownershipPath } from "#lib/domain/losses/managed-fields-losses.ts";
import { managedFieldsEntries } from "#lib/domain/objects/managed-fields.ts";
import { crdIdentity, identityChange } from "#lib/domain/rewrite/identity.ts";
import type { AcceptedLosses, Run } from "#lib/domain/rewrite/run.ts";
import { validDryRun } from "#lib/domain/rewrite/valid-proof.ts";

/**
 * The acknowledgement that the run and its proof record: of the losses in the valid dry run, or unseen without one. Of a dry run that this
 * installation didn't record, only the listed losses are accepted: what else it says is a claim.
 */
export function acceptLosses(crd: Crd, by: string, keepOwnership: boolean): AcceptedLosses {
  const dryRun = validDryRun(crd);
  const losses = dryRun ? unacceptedLosses(dryRun, { keepOwnership }) : [];
  const isClaim = dryRun !== null && !hasOurSignature(dryRun);
  return {
    by,
    at: new Date().toISOString(),
    dryRun: dryRun?.id ?? null,
    losses: losses.map(({ kind, path, objects }) => ({ kind, path, objects })),
    more: isClaim ? 0 : (dryRun?.moreLosses ?? 0),
    unseen: !isClaim && !dryRun?.lossesKnown,
    of: crdIdentity(crd),
  };
}

/** The accepted losses if they still apply to this definition; null after a change, because another schema loses other fields. */
export function stillAccepted(accepted: AcceptedLosses | null, crd: Crd): AcceptedLosses | null {
  return accepted?.of && identityChange(crd, accepted.of) === null ? accepted : null;
}

/**
 * Whether an object may lose these managedFields: the losses of all its managers were accepted. Accepting the loss of a field does not
 * cover managedFields that a failing webhook empties. Of a dry run that found more losses than the record lists, any manager's may go.
 */
export function acceptsLostOwnership(accepted: AcceptedLosses | null, managedFields: readonly ExactJson[]): boolean {
  if (accepted && accepted.more > 0 && accepted.losses.some(({ kind }) => kind === "managed-fields")) return true;
  return managedFieldsEntries([...managedFields]).every(({ manager }) =>
    acceptsLoss(accepted, { kind: "managed-fields", path: ownershipPath(manager) }),
  );
}

/** Whether this loss was accepted: one of those listed, or any if they were accepted unseen. */
export function acceptsLoss(accepted: AcceptedLosses | null, loss: Pick<ObjectLoss, "kind" | "path">): boolean {
  if (accepted === null || accepted.unseen) return accepted !== null;
  return accepted.losses.some(({ kind, path }) => kind === loss.kind && path === shownPath(loss.path));
}

/** Why a rewrite is held back: losses that a dry run found, or could not determine, and that are not accepted. */
export interface HeldBack {
  message: string;
  nextStep: string;
  losses: Loss[];
}

export function heldBack(
  dryRun: DryRunRecord | null,
  { acceptedLosses, ownership }: Pick<Run, "acceptedLosses" | "ownership">,
): HeldBack | null {
  if (!dryRun || acceptedLosses?.unseen) return null;
  const losses = unacceptedLosses(dryRun, { keepOwnership: ownership.keep }).filter((loss) => !acceptsLoss(acceptedLosses, loss));
  if (losses.length > 0) {
    const nextStep = losses.every(({ kind }) => kind === "managed-fields")
      ? "Keep ownership to carry managedFields over, or accept the loss."
      : "Add the fields to the storage version's schema, or accept the loss. The proof records what you accept.";
    return { message: `${describeLosses(losses)}.`, nextStep, losses };
  }
  if (dryRun.lossesKnown) return null;
  const message = `crdshift can't tell what would be lost. ${dryRun.lossesUnknownBecause ?? ""}`.trimEnd();
  // The acceptance was of a dry run that this installation did not record.
  const nextStep = acceptedLosses
    ? "Start a new dry run, then accept its losses."
    : "You can also accept losses unseen. The proof records that.";
  return { message, nextStep, losses };
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
