import { isDeepStrictEqual } from "node:util";
import { dryRunRewrite, readObjectMetadata } from "#lib/cluster/objects/custom-objects.ts";
import type { ObjectMetadata } from "#lib/cluster/objects/object-pages.ts";
import { namesGoneVersion } from "#lib/domain/definition/broken-applies.ts";
import type { ExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { hasMerged, managedFieldsOf, mayCarryOver, wereEmptied } from "#lib/domain/objects/managed-fields.ts";
import { givenBack, hasOwn } from "#lib/domain/objects/own-entries.ts";
import { compareResourceVersions } from "#lib/domain/objects/resource-version.ts";
import { changedAgainstCheck } from "#lib/rewrite/guards/check-before-write.ts";
import { changeManagedFields, withTaken } from "#lib/rewrite/managed-fields/change-managed-fields.ts";
import { lostByChange } from "#lib/rewrite/managed-fields/lost-by-change.ts";
import { isNamesake } from "#lib/rewrite/run/object/request/is-namesake.ts";
import type { Look } from "#lib/rewrite/run/object/request/look-after.ts";
import type { ObjectAnswer } from "#lib/rewrite/run/object/request/object-answer.ts";
import { requestForObject } from "#lib/rewrite/run/object/request/request-for-object.ts";
import { type Attempts, noAttempts } from "#lib/rewrite/run/object/write/note-lost-answer.ts";
import { leftUnanswered, type Patched, patchObject } from "#lib/rewrite/run/object/write/patch-object.ts";
import type { Pass } from "#lib/rewrite/run/pass.ts";
import type { Unkeepable } from "./left-entries.ts";
import { lostIfRelabeled, relabeled } from "./lost-if-relabeled.ts";

/**
 * Rewritten, with or without carried-over managedFields, as `sent`, or with those still `toCarry`, perhaps right after a dry run of the same
 * object (`isChecked`); or left unchanged because they can't be kept.
 */
export type Kept = (Patched & { kept: boolean; sent?: ExactJson[]; toCarry?: true; isChecked?: boolean }) | Unkeepable;

/** What an answer to its write says of it; null if it wasn't written. */
export function writtenOf(answer: ObjectAnswer<Kept>): Exclude<Kept, string> | null {
  return answer.kind === "answered" && typeof answer.value !== "string" ? answer.value : null;
}

/** How it is to be written. */
export interface Ways {
  throughStatus: boolean;
  /**
   * If entries of a version that is gone would stay as they are, leave them: carrying them over writes a current object, too, so only a
   * plain write tells how it was stored.
   */
  plainFirst: boolean;
  /** As for patchObject. */
  shown: string | null;
}

/**
 * Rewrites an object without losing field ownership. If its managedFields name a version that is gone, or a dry run shows that the plain
 * patch would empty them, a JSON patch with a test of the resourceVersion carries the entries over to the storage version instead. That write stores the
 * object at the storage version too, unless an entry would then own less. A dry run comes first, because the API server still empties
 * managedFields if the values don't fit the new schema, or from Kubernetes 1.37 on leaves them as they were.
 * @throws GateHeld if the gate is held before all requests are sent: a process that has slept must not write.
 */
export async function rewriteKeepingOwnership(
  pass: Pass,
  object: ObjectMetadata,
  { throughStatus, plainFirst, shown }: Ways,
  attempts: Attempts,
): Promise<Kept> {
  const { connection, crd, version, signal, runId, gate, onPatch, leftEntries } = pass;
  const atRisk = object.writes.some((write) => write.version !== version);
  const options = { signal, runId, throughStatus, onPatch };
  const { guard } = pass;
  const released = () => gate.whenReleased(signal);
  const plain = async () => ({ ...(await patchObject(pass, object, { throughStatus, shown }, attempts)), kept: false });
  const wouldStay = async () => {
    await released();
    const after = managedFieldsOf(await dryRunRewrite(connection, crd, version, object, options));
    return givenBack(object.managedFields, after).length > 0;
  };
  if (object.writes.length === 0) return plain();
  const emptied = attempts.unanswered ? await emptiedMeanwhile(pass, object) : null;
  if (emptied) return { ...emptied, kept: false, isChecked: false };
  const isBroken = namesGoneVersion(crd, object.managedFields);
  const staysByItself = async () => !attempts.mayBeCarried && (plainFirst || !isBroken) && (await wouldStay());
  if (atRisk && (await staysByItself())) return { ...(await plain()), ...(isBroken && { toCarry: true }) };
  const isOld = (named: string) => mayCarryOver(crd, named);
  const leave = async (why: Unkeepable) => {
    if (!pass.guard.acceptsLostOwnership(object.managedFields) && !(isBroken && (await wouldStay()))) return why;
    const left = await plain();
    leftEntries.note(object, namesGoneVersion(crd, left.managedFields) ? why : null);
    return left;
  };
  // Entries of the storage version, too, if the values no longer fit its schema. Nothing can be carried over then.
  if (!atRisk) return (await wouldStay()) ? plain() : leave("unkeepable");
  if ((await lostIfRelabeled(pass, object.managedFields, isOld)).length > 0) return leave("other-schema");
  const carry = (dryRun: boolean) =>
    changeManagedFields<never>(
      {
        connection,
        crd,
        version,
        dryRun,
        guard,
        leavesOwn: true,
        attempts,
        gate,
        ...options,
      },
      object,
      (entries) => relabeled(pass, entries, isOld),
    );
  const tried = await carry(true);
  if (!tried.rewritten.owned) return leave("unkeepable");
  if (namesGoneVersion(crd, tried.rewritten.managedFields)) return leave(throughStatus ? "refused" : "unkeepable");
  if (hasMerged(tried.sent, tried.rewritten.managedFields)) return leave("too-many");
  if (await lostByChange({ ...pass, throughStatus }, object, tried)) return leave("admission");
  const { rewritten, sent, altered } = await carry(false).finally(() => {
    attempts.mayBeCarried = attempts.unanswered;
  });
  leftEntries.note(object, null);
  return { ...rewritten, kept: rewritten.owned, sent, ...(altered && !tried.altered && { unforetold: true }) };
}

/** The object, if a write whose answer was lost has emptied its managedFields, or else a person has; null otherwise. */
async function emptiedMeanwhile({ connection, crd, version, signal, runId, gate }: Pass, object: ObjectMetadata): Promise<Patched | null> {
  await gate.whenReleased(signal);
  const now = await readObjectMetadata(connection, crd, version, object, { signal, runId });
  const left = leftUnanswered(object, now);
  const isLater = compareResourceVersions(left.resourceVersion, object.resourceVersion) > 0;
  return isLater && !left.owned && !isNamesake(now, object) ? left : null;
}

/**
 * Whether an object that needs no rewrite has entries to carry over: the write that moved it to the storage version, by whomever, leaves them
 * as they are from Kubernetes 1.37 on, and the run that sent it may have ended before the second write.
 */
export function isCarryDue(
  { crd, keepOwnership, leftEntries }: Pick<Pass, "crd" | "keepOwnership" | "leftEntries">,
  object: ObjectMetadata,
): boolean {
  return keepOwnership && namesGoneVersion(crd, object.managedFields) && !leftEntries.has(object);
}

/**
 * Takes back the entry that crdshift's patch left in managedFields, this one or an earlier: the defaults that it stored would be
 * crdshift's own, and the next unforced apply of whoever sets such a field would conflict. What the entry took from those `listed`, they get
 * back, also if someone else has removed the entry since, at this `generation`. Goes on for a moment if the work is stopped. `look` comes right before that write. `goesOn`: it follows another write of the object.
 * @returns the managedFields to put back if the API server emptied them instead; null if it didn't.
 */
export async function disown(
  pass: Pass,
  object: ObjectMetadata,
  managedFields: readonly ExactJson[],
  { listed, generation, look, goesOn }: { listed: readonly ExactJson[]; generation: number | null; look?: Look; goesOn: boolean },
): Promise<ExactJson[] | null> {
  const { connection, crd, version, lasting: signal, runId, gate, guard, onPatch, ownEntries } = pass;
  if (!hasOwn(managedFields)) {
    ownEntries.none(object);
    return null;
  }
  ownEntries.left(object);
  const attempts = noAttempts(signal);
  const options = { connection, crd, version, signal, runId, guard, onPatch, gate, attempts };
  const giveBack = (entries: ExactJson[], now: ExactJson) =>
    givenBack(listed, withTaken(entries, now, { before: managedFields, generation }));
  const ownersIn = (entries: readonly ExactJson[]) => {
    const owners = givenBack(listed, entries);
    return owners.length > 0 ? owners : null;
  };
  const write = async () => {
    const tried = await changeManagedFields({ ...options, dryRun: true }, object, giveBack);
    if (attempts.unanswered && wereEmptied(managedFields, tried.before)) return "emptied";
    // Someone else has removed it, and took nothing from anyone by that.
    if (!hasOwn(tried.before) && isDeepStrictEqual(tried.sent, tried.before)) return "none";
    if (!hasOwn(tried.before)) ownEntries.none(object);
    if (await lostByChange({ ...pass, signal }, object, tried)) return null;
    const done = await changeManagedFields(options, object, giveBack);
    return { ...done, unforetold: done.altered && !tried.altered };
  };
  type Done = Awaited<ReturnType<typeof write>>;
  const answer = await requestForObject({ ...pass, signal }, object, write, {
    ...{ effect: { stored: (done: Done) => typeof done === "object" && done !== null }, look, goesOn },
  });
  // It is rewritten all the same: if it can't be written once more, the entry stays, until a later rewrite.
  if (answer.kind === "rejected" || (answer.kind === "answered" && answer.value === null)) return null;
  ownEntries.none(object);
  if (answer.kind === "gone" || answer.value === null || answer.value === "none") return null;
  // By a write whose answer was lost, or else by a person.
  if (answer.value === "emptied") return ownersIn(managedFields);
  if (answer.value.unforetold && !pass.guard.isOff) throw changedAgainstCheck(object);
  if (answer.value.rewritten.owned) return null;
  const { before } = answer.value;
  return ownersIn(attempts.unanswered && wereEmptied(managedFields, before) ? managedFields : before);
}
