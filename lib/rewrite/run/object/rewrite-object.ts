import type { Rewritten } from "#lib/cluster/objects/custom-objects.ts";
import type { ObjectMetadata } from "#lib/cluster/objects/object-pages.ts";
import { hasMerged } from "#lib/domain/objects/managed-fields.ts";
import { isAboveSettlePoint } from "#lib/domain/objects/resource-version.ts";
import { changedAgainstCheck, checkBeforeWrite, deletedByWrite } from "#lib/rewrite/guards/check-before-write.ts";
import type { LossGuard } from "#lib/rewrite/guards/loss-guard.ts";
import { lossRefusal, withStatusLoss } from "#lib/rewrite/guards/loss-refusal.ts";
import { isSkipped, noteFind, type Pass } from "#lib/rewrite/run/pass.ts";
import { countOutcome } from "#lib/rewrite/run/progress/outcomes-here.ts";
import { notingSent, notingWrites, type ObjectWrite } from "#lib/rewrite/run/unconfirmed-writes.ts";
import { disown, isCarryDue, type Kept, rewriteKeepingOwnership, type Ways } from "./keep-ownership.ts";
import { hasOwn, type Unkeepable } from "./left-entries.ts";
import { type Attempts, noAttempts } from "./note-lost-answer.ts";
import { type AnsweredWrite, notingUnanswered } from "./noting-unanswered.ts";
import type { Outcome } from "./outcome.ts";
import { patchObject } from "./patch-object.ts";
import { lookAfter, type ObjectAnswer, requestForObject } from "./request-for-object.ts";
import { restoreOwnership } from "./restore-ownership.ts";

const UNKEEPABLE: Record<Unkeepable, string> = {
  unkeepable:
    "Its managedFields can't be carried over: its values don't fit the storage version's schema, so the API server empties managedFields anyway. " +
    "Change the values or the schema, or accept the loss of ownership.",
  "other-schema":
    "Its managedFields can't be carried over: the storage version's schema has other list types, map keys, or map types for fields that its " +
    "entries own, so the entries would own nothing there. Apply it at the storage version as those managers, or accept the loss of ownership.",
  admission:
    "Its managedFields can't be carried over: a webhook or policy would drop or change other fields with that write, though not with a patch " +
    "that changes nothing. Exempt crdshift's user from it, or accept the loss of ownership.",
  "too-many":
    "Its managedFields can't be carried over: the write also stores new defaults, for which the API server adds an entry, and with more than ten " +
    "managers it merges the two oldest. Remove an entry, or accept the loss of ownership.",
  refused:
    "Its managedFields can't be carried over: the API server refuses the object itself, and through /status it changes no such entries. Fix " +
    "what the object is refused for, or accept the loss of ownership.",
};

/**
 * Makes the API server store one object at the storage version, and tells how that ended. If the pass ends before a write is answered, the
 * tally knows that it lacks an outcome.
 * @throws StopRun if the pass can't continue, and the signal's reason.
 */
export function rewriteObject(pass: Pass, object: ObjectMetadata): Promise<Outcome> {
  const work = (write: ObjectWrite) => notingUnanswered(pass, object, write, (noted) => rewriteOne(pass, object, noted));
  return notingWrites(pass.writes, work, isUnchanged);
}

function isUnchanged(outcome: Outcome): boolean {
  return (
    (outcome.kind === "alreadyCurrent" && !outcome.ownership) ||
    outcome.kind === "gone" ||
    (outcome.kind === "rejected" && !outcome.ownership && !outcome.mayBeStored)
  );
}

async function rewriteOne(pass: Pass, object: ObjectMetadata, write: AnsweredWrite): Promise<Outcome> {
  const isCurrent = isSkipped(pass, object);
  if (isCurrent && !isCarryDue(pass, object)) return takeBack(pass, object, object.managedFields, { goesOn: false });
  const unchecked = uncheckedOnce(pass.guard);
  try {
    const { attempts } = write;
    const first = await patchOne(pass, object, write, { unchecked, throughStatus: false, plainFirst: true, attempts });
    const whyLeft = isCurrent && !attempts.unanswered ? leftBecause(first) : null;
    if (whyLeft !== null) {
      pass.leftEntries.note(object, whyLeft);
      return await takeBack(pass, object, object.managedFields, { goesOn: true });
    }
    if (first.kind === "answered" && typeof first.value !== "string" && first.value.toCarry) {
      return await carriedOver(pass, object, write, { written: first.value, unchecked });
    }
    // Nor does a dry run go through /status.
    const mayTryStatus = first.kind === "rejected" && pass.throughStatus;
    const answer = mayTryStatus
      ? await patchOne(pass, object, write, { unchecked, throughStatus: true, plainFirst: false, attempts })
      : first;
    return await settled(pass, object, { first, answer, unchecked, attempts });
  } finally {
    unchecked.end();
  }
}

/** Why an object that needed no rewrite keeps its entries: a write that was refused, or couldn't carry them over, says nothing of its storage. */
function leftBecause(first: ObjectAnswer<Kept>): Unkeepable | null {
  if (first.kind === "rejected") return "refused";
  return first.kind === "answered" && typeof first.value === "string" ? first.value : null;
}

/** Carries the entries over of an object that a plain write has just `written`, or left as it was, which shows that it was current. */
async function carriedOver(
  pass: Pass,
  object: ObjectMetadata,
  write: AnsweredWrite,
  { written: { resourceVersion, managedFields }, unchecked }: { written: Rewritten; unchecked: Unchecked },
): Promise<Outcome> {
  const wasCurrent = resourceVersion === object.resourceVersion;
  // Before anything else is sent for it, as in settled.
  if (!wasCurrent) await noteFind(pass, object, { found: "changed", foundAt: resourceVersion });
  // A release that empties them has answered this write, and another one the dry run before it, as during an upgrade.
  if (managedFields.length === 0 && !pass.guard.acceptsLostOwnership(object.managedFields)) {
    return restored(pass, object, resourceVersion, false);
  }
  const now = { ...object, resourceVersion, managedFields };
  const attempts = noAttempts(pass.answering);
  const answer = await patchOne(pass, now, write, { unchecked, throughStatus: false, plainFirst: false, attempts });
  const end = await settled(pass, now, { first: answer, answer, unchecked, attempts, isNoted: true });
  if (wasCurrent && end.kind === "rewritten" && end.ownership === "kept") return { kind: "alreadyCurrent", ownership: "kept" };
  // The plain write has shown how it is stored, whatever refuses the other one.
  if (wasCurrent && end.kind === "rejected" && !end.ownership) {
    pass.leftEntries.note(object, answer.kind === "answered" && typeof answer.value === "string" ? answer.value : "refused");
    return { kind: "alreadyCurrent" };
  }
  if (wasCurrent) return end;
  if (end.kind === "alreadyCurrent") return { kind: "rewritten", resourceVersion };
  return end.kind === "rejected" ? { ...end, mayBeStored: true } : end;
}

/** Tells the watch over admission of one object, however many of its writes nothing checks. */
interface Unchecked {
  begin(): void;
  end(): void;
}

function uncheckedOnce({ admission }: LossGuard): Unchecked {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  let hasBegun = false;
  return {
    begin() {
      if (!hasBegun) void admission?.unchecked(() => ended);
      hasBegun = true;
    },
    end,
  };
}

/** No dry run tries what is above the settle point. */
function isUntried(pass: Pass, object: ObjectMetadata): boolean {
  return isAboveSettlePoint(object.resourceVersion, pass.checkAbove);
}

/** What the answer to the last write, and what has to follow it, made of the object. `first` is that of its main resource. */
async function settled(
  pass: Pass,
  object: ObjectMetadata,
  {
    first,
    answer,
    unchecked,
    attempts,
    isNoted = false,
  }: { first: ObjectAnswer<Kept>; answer: ObjectAnswer<Kept>; unchecked: Unchecked; attempts: Attempts; isNoted?: boolean },
): Promise<Outcome> {
  // The main resource's error is the one a person has to fix.
  if (answer.kind === "rejected") {
    const told = first.kind === "rejected" ? withStatusLoss(first, answer) : answer;
    return answer.mayBeStored ? { ...told, mayBeStored: true } : told;
  }
  if (answer.kind === "gone") return answer;
  if (typeof answer.value === "string") {
    const message = UNKEEPABLE[answer.value];
    return { kind: "rejected", reason: "OwnershipLost", message, ...(attempts.unanswered && { mayBeStored: true }) };
  }
  const { value } = answer;
  const finish = () => finished(pass, object, value, { throughStatus: answer !== first, unchecked });
  const { resourceVersion: foundAt } = value;
  // Before anything else is sent for it: if this process dies then, no later run finds it again.
  if (foundAt !== object.resourceVersion && !isNoted) {
    await noteFind(pass, object, { found: "changed", foundAt }).catch(async (error: unknown) => {
      // Nobody else puts back managedFields that it emptied, or counts their loss.
      await finish().catch(() => {});
      throw error;
    });
  }
  return finish();
}

/** What has to follow a write that was stored. */
async function finished(
  pass: Pass,
  object: ObjectMetadata,
  { resourceVersion, owned, kept, managedFields }: Exclude<Kept, string>,
  { throughStatus, unchecked }: { throughStatus: boolean; unchecked: Unchecked },
): Promise<Outcome> {
  const lost = object.writes.length > 0 && !owned;
  if (lost && !pass.guard.acceptsLostOwnership(object.managedFields)) return restored(pass, object, resourceVersion, throughStatus);
  // The entry for crdshift's defaults was one too many.
  if (pass.keepOwnership && owned && hasMerged(object.managedFields, managedFields)) {
    return restored(pass, object, resourceVersion, throughStatus);
  }
  if (resourceVersion === object.resourceVersion) return takeBack(pass, object, managedFields, { goesOn: true });
  // It waits for a turn of its own, and nothing checks the object again.
  if (hasOwn(managedFields)) unchecked.begin();
  const emptied = await disown(pass, object, managedFields, { goesOn: true });
  if (emptied) return restored(pass, { ...object, managedFields: emptied }, resourceVersion, throughStatus);
  return {
    kind: "rewritten",
    resourceVersion,
    throughStatus,
    ...((lost || kept) && { ownership: lost ? "lost" : "kept" }),
  };
}

/**
 * Takes crdshift's entry, which an earlier run left, from an object that is current. What it would lose by that, it keeps, and the entry.
 */
async function takeBack(
  pass: Pass,
  object: ObjectMetadata,
  managedFields: ObjectMetadata["managedFields"],
  { goesOn }: { goesOn: boolean },
): Promise<Outcome> {
  const current = { kind: "alreadyCurrent" } as const;
  if (!pass.takesBack || !hasOwn(managedFields)) return current;
  // A patch that changed nothing, or the settle point, has shown that nothing is hidden.
  const look = async () =>
    pass.guard.isOff ? null : lossRefusal({ ...pass, admission: pass.guard.admission, mayHide: () => false }, object);
  const write = (writing: ObjectWrite) =>
    disown({ ...pass, onPatch: notingSent(writing, pass.onPatch) }, object, managedFields, { look, goesOn });
  const emptied = await notingWrites(pass.writes, write, () => false);
  if (!emptied) return current;
  const end = await restored(pass, { ...object, managedFields: emptied }, object.resourceVersion, false);
  return end.kind === "rewritten" ? current : end;
}

/** The outcome of an object whose managedFields crdshift's patch emptied, once they are put back. */
async function restored(pass: Pass, object: ObjectMetadata, emptiedAt: string, throughStatus: boolean): Promise<Outcome> {
  // No dry run has predicted it, so none is believed for the objects that are left.
  pass.guard = { ...pass.guard, mustCheck: async () => true };
  const rewritten = { kind: "rewritten", resourceVersion: emptiedAt, throughStatus } as const;
  const result = await restoreOwnership(pass, object).catch((error: unknown) => {
    // Stopped in between; the run must not keep the loss to itself.
    countOutcome(pass.tally, object, { ...rewritten, ownership: "lost" });
    throw error;
  });
  if (result === "kept" || result === "lost") return { ...rewritten, ownership: result };
  if (result !== "emptied" && result.kind === "gone") return result;
  const because = result === "emptied" ? "the API server empties them again." : result.message;
  const message = `The rewrite emptied its managedFields, and they can't be put back: ${because}`;
  return { kind: "rejected", reason: "OwnershipLost", message, ownership: "lost" };
}

async function patchOne(
  pass: Pass,
  object: ObjectMetadata,
  writing: AnsweredWrite,
  { unchecked, throughStatus, plainFirst, attempts }: Omit<Ways, "shown"> & { unchecked: Unchecked; attempts: Attempts },
): Promise<ObjectAnswer<Kept>> {
  const mayHide = (at: string) => !pass.guard.isProven && !isAboveSettlePoint(at, pass.settleResourceVersion);
  const mustCheck = async () => !pass.guard.isOff && (throughStatus || isUntried(pass, object) || (await pass.guard.mustCheck(object)));
  const check = checkBeforeWrite(object, mustCheck, (tells) =>
    lossRefusal({ ...pass, admission: pass.guard.admission, mayHide, ...tells }, object, throughStatus),
  );
  const noted = { ...pass, onPatch: notingSent(writing, pass.onPatch) };
  const send = async (): Promise<Kept> => {
    if (!check.isMade()) unchecked.begin();
    const ways = { throughStatus, plainFirst, shown: check.shown() };
    if (pass.keepOwnership) return rewriteKeepingOwnership(noted, object, ways, attempts);
    return { ...(await patchObject(noted, object, ways, attempts)), kept: false };
  };
  const stored = (kept: Kept) => typeof kept !== "string" && kept.resourceVersion !== object.resourceVersion;
  const answer = await requestForObject(pass, object, send, {
    ...{ effect: { stored }, look: lookAfter(attempts, check.look), goesOn: throughStatus || !plainFirst },
  });
  if (answer.kind === "answered" && typeof answer.value !== "string") writing.showsStorage();
  // Whatever the last answer says of the object now, it says nothing of a write that may still be on its way.
  if (answer.kind === "rejected" && attempts.unanswered) answer.mayBeStored = true;
  if (answer.kind === "gone" && attempts.unanswered) await noteFind(pass, object, { found: "changed", foundAt: object.resourceVersion });
  if (answer.kind === "rejected" && answer.mayBeStored) {
    pass.tally.countUnknown();
    pass.ownEntries.unknown(object);
  }
  if (answer.kind === "answered" && typeof answer.value !== "string" && answer.value.unforetold && !pass.guard.isOff) {
    await noteFind(pass, object, { found: "changed", foundAt: answer.value.resourceVersion }).catch(() => {});
    throw changedAgainstCheck(object);
  }
  if (answer.kind === "answered" && typeof answer.value !== "string" && answer.value.deleted) {
    const isAccepted = pass.guard.accepts({ kind: "dropped", path: "metadata.finalizers", before: null, after: null });
    if (object.finalizers.length > 0 && !isAccepted) throw deletedByWrite(object);
    return { kind: "gone" };
  }
  if (answer.kind === "answered" && isRaised(object, answer.value)) {
    if (!check.isMade()) noteRaised(pass.guard, answer.value);
    else if (!answer.value.kept) {
      const { resourceVersion: foundAt } = answer.value;
      // What can't be recorded isn't believed either, and says less than what the write lost.
      if (stored(answer.value)) await noteFind(pass, object, { found: "changed", foundAt }).catch(() => {});
      check.requireForetold();
    }
  }
  return answer;
}

function isRaised({ generation }: ObjectMetadata, kept: Kept): kept is Exclude<Kept, string> {
  return typeof kept !== "string" && kept.generation !== null && generation !== null && kept.generation > generation;
}

/**
 * Notes that a write that nothing checked has changed the object: an empty patch at the resourceVersion that was listed raises no
 * generation, unless it adds a default or something in admission has changed the object.
 */
function noteRaised({ admission, expectedRises }: Pick<LossGuard, "admission" | "expectedRises">, { kept }: Exclude<Kept, string>): void {
  // Entries are carried over in the object as it is by then: someone else may have changed it since the list.
  if (kept) admission?.distrust();
  else admission?.raised(expectedRises);
}
