import { hasOurSignature, isOwnConsent, signedConsent } from "#lib/cluster/definitions/evidence/evidence-signature.ts";
import { underOneKey } from "#lib/cluster/definitions/evidence/own-key.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { StartRewrite } from "#lib/contract/rewrite/run.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { unseenVersions } from "#lib/domain/definition/stored-versions.ts";
import type { ExactJson } from "#lib/domain/exact-json/exact-json.ts";
import type { DryRunRecord } from "#lib/domain/losses/dry-run-record.ts";
import {
  describeLosses,
  formatMorePaths,
  type Loss,
  mayLeaveOutLosses,
  type ObjectLoss,
  unacceptedLosses,
} from "#lib/domain/losses/losses.ts";
import { ownershipPath } from "#lib/domain/losses/managed-fields-losses.ts";
import { type Sample, sampleOf } from "#lib/domain/losses/sample-of.ts";
import { shownPath } from "#lib/domain/objects/field-path.ts";
import { managedFieldsEntries } from "#lib/domain/objects/managed-fields.ts";
import { validDryRun } from "#lib/domain/record/valid-evidence.ts";
import { crdIdentity, identityChange } from "#lib/domain/rewrite/identity.ts";
import type { AcceptedLosses, Run } from "#lib/domain/rewrite/run.ts";

/** What a person accepts with a start or a resume: the listed losses, and, by its own word, what no dry run could show. */
type Consent = Pick<StartRewrite, "acceptLosses" | "acceptUnseen">;

/**
 * The acknowledgement that the run and its proof record; null if nothing was accepted. It covers what a valid dry run lists, and the rest
 * only by its own word: whoever accepts a list has seen nothing else. Of a dry run that this installation didn't record, only the listed
 * losses are accepted, because what else it says is a claim.
 * @throws AppError precondition_failed if only listed losses are accepted, and there is no list: the definition may have changed since.
 */
export function acceptLosses(crd: Crd, by: string, consent: Consent, keepOwnership: boolean): AcceptedLosses | null {
  const { acceptLosses: listed = false, acceptUnseen = false } = consent;
  if (!listed && !acceptUnseen) return null;
  const dryRun = validDryRun(crd);
  if (dryRun === null && !acceptUnseen) throw nothingListed();
  const found = dryRun ? unacceptedLosses(dryRun, { keepOwnership }) : [];
  const isClaim = dryRun !== null && !hasOurSignature(dryRun);
  const losses = listed ? found.map(({ kind, path, objects }) => ({ kind, path, objects })) : [];
  return signedConsent({
    by,
    at: new Date().toISOString(),
    dryRun: dryRun?.id ?? null,
    losses,
    sample: dryRun && losses.length > 0 ? sampleOf(dryRun) : null,
    more: listed && !isClaim && dryRun && mayLeaveOutLosses(dryRun, { keepOwnership }) ? dryRun.moreLosses : 0,
    // Unseen alone is no consent to what was shown.
    unseen: dryRun === null || (acceptUnseen && !isClaim && (listed || found.length === 0)),
    of: crdIdentity(crd),
    signature: null,
  });
}

function nothingListed(): AppError {
  return new AppError("precondition_failed", "There is no dry run of the current definition whose losses you could accept.", {
    nextStep: "Start a dry run and review its losses, or accept losses unseen.",
    details: { losses: [], moreLosses: 0, sample: null, dryRun: null, unknownBecause: "The current definition has no dry run." },
  });
}

/**
 * The accepted losses if this installation took that consent, and they still apply to this definition; null after a change, because another
 * schema loses other fields.
 */
export function stillAccepted(accepted: AcceptedLosses | null, crd: Crd): AcceptedLosses | null {
  return accepted?.of && isOwnConsent(accepted) && identityChange(crd, accepted.of) === null ? accepted : null;
}

/**
 * Whether an object may lose these managedFields: the losses of all its managers were accepted. Accepting the loss of a field does not
 * cover managedFields that a failing webhook empties. Of a dry run that found more losses than the record lists, any manager's may go.
 */
export function acceptsLostOwnership(accepted: AcceptedLosses | null, managedFields: readonly ExactJson[]): boolean {
  if (accepted && accepted.more > 0 && accepted.losses.some(({ kind }) => kind === "managed-fields")) return true;
  return acceptsNamedOwnership(accepted, managedFields);
}

/** The same, if each of its managers is named, or any loss was accepted unseen. */
export function acceptsNamedOwnership(accepted: AcceptedLosses | null, managedFields: readonly ExactJson[]): boolean {
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
  /** Paths beyond those listed that aren't accepted either. */
  moreLosses: number;
  /** What the dry run checked, if it left out objects. */
  sample: Sample | null;
}

type Accepting = Pick<Run, "acceptedLosses" | "ownership" | "delegation">;

/**
 * What holds the run back; null if nothing does. Once the listed losses are accepted, unknown ones no longer do if crdshift can check each
 * object before it writes it: an object whose losses stay unknown is then left alone.
 */
export function heldBack(crd: Crd, dryRun: DryRunRecord | null, { acceptedLosses, ownership, delegation }: Accepting): HeldBack | null {
  if (!dryRun || acceptedLosses?.unseen) return null;
  const keeping = { keepOwnership: ownership.keep };
  const found = unacceptedLosses(dryRun, keeping);
  const losses = found.filter((loss) => !acceptsLoss(acceptedLosses, loss));
  // Losses that the record has no room for can't be compared with those that another dry run listed.
  const isBeyond = acceptedLosses?.dryRun !== dryRun.id && mayLeaveOutLosses(dryRun, keeping);
  const isUnknown = !dryRun.lossesKnown;
  // The cluster's own engine checks nothing, and nobody sees what an object loses that is stored in a version that isn't served.
  const canCheckEach = delegation === null && unseenVersions(crd).length === 0;
  if (losses.length === 0 && !isBeyond && (!isUnknown || (canCheckEach && found.length > 0))) return null;
  const unknown =
    `crdshift can't tell what${found.length > 0 ? " else" : ""} would be lost. ${dryRun.lossesUnknownBecause ?? ""}`.trimEnd();
  const isListed = losses.length > 0;
  const moreLosses = isBeyond ? dryRun.moreLosses : 0;
  const sample = sampleOf(dryRun);
  const reasons = [
    isListed && { message: `${describeLosses(losses, moreLosses, sample)}.`, step: stepForListed(losses) },
    isBeyond && !isListed && { message: beyondWords(dryRun), step: "Review the newest dry run, then accept its losses." },
    isUnknown && { message: unknown, step: stepForUnknown(dryRun, canCheckEach, isListed) },
  ].filter((reason) => reason !== false);
  return {
    message: reasons.map(({ message }) => message).join(" "),
    nextStep: reasons.map(({ step }) => step).join(" "),
    ...{ losses, moreLosses, sample },
  };
}

function beyondWords({ moreLosses }: DryRunRecord): string {
  return (
    `The newest dry run found ${formatMorePaths(moreLosses)} than there is room to record, ` +
    "and they may not be among those that you accepted."
  );
}

function stepForListed(losses: readonly Loss[]): string {
  return losses.every(({ kind }) => kind === "managed-fields")
    ? "Keep ownership to carry managedFields over, or accept the loss."
    : "Add the fields to the storage version's schema, or accept the loss. The proof records what you accept.";
}

function stepForUnknown(dryRun: DryRunRecord, canCheckEach: boolean, isListed: boolean): string {
  if (!hasOurSignature(dryRun)) return underOneKey("Start a new dry run, then accept its losses.");
  if (!canCheckEach) return "You can also accept losses unseen. The proof records that.";
  if (isListed) return "Objects whose losses stay unknown are then left unchanged, unless you also accept losses unseen.";
  return "Start a new dry run, or accept losses unseen. The proof records that.";
}

/**
 * Whether the run makes a new dry run in place of this one: nothing but unknown losses would hold it back, and what made them unknown may
 * have passed.
 */
export function asksAnew(crd: Crd, dryRun: DryRunRecord, run: Accepting): boolean {
  const held = dryRun.unknownMayPass ? heldBack(crd, dryRun, run) : null;
  return held !== null && held.losses.length === 0;
}

/** Throws precondition_failed, with the losses and what is unknown, if the run is held back and a new dry run wouldn't help. */
export function refuseUnacceptedLosses(crd: Crd, dryRun: DryRunRecord | null, run: Accepting): void {
  const held = heldBack(crd, dryRun, run);
  if (!held || (dryRun && asksAnew(crd, dryRun, run))) return;
  throw new AppError("precondition_failed", `The rewrite is held back: ${held.message}`, {
    nextStep: held.nextStep,
    details: {
      ...{ losses: held.losses, moreLosses: held.moreLosses, sample: held.sample },
      ...{ dryRun: dryRun?.id, unknownBecause: unknownBecause(dryRun) },
    },
  });
}

/** Why a dry run's losses are not complete; null if they are. */
function unknownBecause(dryRun: DryRunRecord | null): string | null {
  return dryRun?.lossesKnown === false ? (dryRun.lossesUnknownBecause ?? "The dry run couldn't tell.") : null;
}

/** Throws precondition_failed unless the accepted losses are those of the newest dry run. */
export function refuseOtherDryRun(dryRun: DryRunRecord | null, accepted: string): void {
  if (dryRun?.id === accepted) return;
  throw new AppError("precondition_failed", "You accepted the losses of a dry run that isn't the newest one for the current definition.", {
    nextStep: "Review the newest dry run, or start one, then accept its losses.",
    details: {
      ...{ losses: dryRun?.losses ?? [], moreLosses: dryRun?.moreLosses ?? 0, sample: dryRun && sampleOf(dryRun) },
      ...{ dryRun: dryRun?.id ?? null, unknownBecause: unknownBecause(dryRun) },
    },
  });
}
