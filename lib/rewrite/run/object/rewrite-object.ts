import type { ObjectMetadata } from "#lib/cluster/objects/object-pages.ts";
import { wereEmptied } from "#lib/domain/objects/managed-fields.ts";
import { MAX_ATTEMPTS } from "#lib/rewrite/managed-fields/change-managed-fields.ts";
import { isSkipped, type Pass } from "#lib/rewrite/run/pass.ts";
import { notingWrites, type ObjectWrite } from "#lib/rewrite/run/unconfirmed-writes.ts";
import type { Outcome } from "./outcome.ts";
import { isCarryDue, type Kept, writtenOf } from "./ownership/keep-ownership.ts";
import type { Unkeepable } from "./ownership/left-entries.ts";
import type { ObjectAnswer } from "./request/object-answer.ts";
import { endOfWrite, noteChanged, restoredUnlessAccepted, takeBack } from "./write/end-of-write.ts";
import { noAttempts } from "./write/note-lost-answer.ts";
import { type AnsweredWrite, notingUnanswered } from "./write/noting-unanswered.ts";
import type { Patched } from "./write/patch-object.ts";
import { wasAtStorageVersion } from "./write/was-at-storage-version.ts";
import { type Unchecked, uncheckedOnce, writeInTurn } from "./write/write-in-turn.ts";

/** Of an object, by its name. */
export const KEPT_CHANGING = "was changed by others between each of crdshift's reads and patches, so crdshift can't tell how it is stored";

/**
 * Makes the API server store one object at the storage version, and tells how that ended. If the pass ends before a write is answered, the
 * tally knows that it lacks an outcome.
 * @throws StopRun if the pass can't continue, and the signal's reason.
 */
export function rewriteObject(pass: Pass, object: ObjectMetadata): Promise<Outcome> {
  const work = (write: ObjectWrite) => notingUnanswered(pass, object, write, (noted) => rewriteAsItIs(pass, object, noted));
  return notingWrites(pass.writes, work, isUnchanged);
}

function isUnchanged(outcome: Outcome): boolean {
  return (
    (outcome.kind === "alreadyCurrent" && !outcome.ownership && !outcome.isWritten) ||
    outcome.kind === "gone" ||
    (outcome.kind === "rejected" && !outcome.ownership && !outcome.mayBeStored)
  );
}

/**
 * One that someone else has changed since the list is current: whoever wrote after the settle point stored it at the storage version. Where
 * every object is to show that, this one does, as it is by now, and so does one that is being deleted, unless others keep changing it: a
 * slow deletion may store each of them still, and a run that such an object could fail, anyone could fail.
 */
async function rewriteAsItIs(pass: Pass, listed: ObjectMetadata, write: AnsweredWrite): Promise<Outcome> {
  let object = listed;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const end = await rewriteOne(pass, object, write, attempt > 1);
    if (end.kind === "rejected" && object !== listed) return { ...end, movedTo: object.resourceVersion };
    if (end.kind !== "moved") return end;
    object = end.to;
    write.movedTo(object);
  }
  return { kind: "alreadyCurrent", ...(pass.skipAbove === null && { isBusy: true }) };
}

async function rewriteOne(
  pass: Pass,
  object: ObjectMetadata,
  write: AnsweredWrite,
  goesOn: boolean,
): Promise<Outcome | { kind: "moved"; to: ObjectMetadata }> {
  const isCurrent = isSkipped(pass, object);
  if (isCurrent && !isCarryDue(pass, object)) return takeBack(pass, object, object.managedFields, { goesOn: false, isUnchanged: false });
  const unchecked = uncheckedOnce(pass.guard);
  try {
    const { attempts } = write;
    const first = await writeInTurn(pass, object, write, { unchecked, throughStatus: false, plainFirst: true, attempts, goesOn });
    const whyLeft = isCurrent && !attempts.unanswered ? leftBecause(first) : null;
    if (whyLeft !== null) {
      pass.leftEntries.note(object, whyLeft);
      return await takeBack(pass, object, object.managedFields, { goesOn: true, isUnchanged: false });
    }
    const written = writtenOf(first);
    if (written?.toCarry && !movedTo(pass, first)) return await carriedOver(pass, object, write, { written, unchecked });
    // Nor does a dry run go through /status.
    const mayTryStatus = first.kind === "rejected" && pass.throughStatus;
    const answer = mayTryStatus
      ? await writeInTurn(pass, object, write, { unchecked, throughStatus: true, plainFirst: false, attempts })
      : first;
    const to = movedTo(pass, answer);
    return to ? { kind: "moved", to } : await endOfWrite(pass, object, { first, answer, unchecked, attempts });
  } finally {
    unchecked.end();
  }
}

/** The object as someone else has changed it, if its own write still has to show how it is stored. */
function movedTo({ skipAbove }: Pass, answer: ObjectAnswer<Kept>): ObjectMetadata | null {
  const moved = writtenOf(answer)?.moved;
  // A slow deletion may have stored it from what it read before.
  return moved && (skipAbove === null || moved.deletionTimestamp !== null) ? moved : null;
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
  { written, unchecked }: { written: Patched; unchecked: Unchecked },
): Promise<Outcome> {
  const { resourceVersion, managedFields } = written;
  const isWritten = resourceVersion !== object.resourceVersion;
  const wasCurrent = !isWritten || (await wasAtStorageVersion(pass, object, written, write.attempts));
  // A release that empties them has answered this write, and another one the dry run before it, as during an upgrade.
  const putBack = (within: Pass) =>
    restoredUnlessAccepted(within, object, { emptiedAt: resourceVersion, throughStatus: false, isChecked: true });
  const emptied = wereEmptied(object.managedFields, managedFields) ? putBack : null;
  if (!wasCurrent) await noteChanged(pass, object, resourceVersion, emptied);
  if (emptied) return emptied(pass);
  // As it is by now: the write that raised its generation, by a new default, was another one.
  const now = { ...object, resourceVersion, managedFields, generation: written.generation };
  const attempts = { ...noAttempts(pass.answering), owners: object.managedFields };
  const answer = await writeInTurn(pass, now, write, { unchecked, throughStatus: false, plainFirst: false, attempts });
  const end = await endOfWrite(pass, now, { first: answer, answer, unchecked, attempts, isNoted: true });
  if (wasCurrent && end.kind === "rewritten" && end.ownership === "kept") return { kind: "alreadyCurrent", ownership: "kept" };
  // The plain write has shown how it is stored, whatever refuses the other one.
  if (wasCurrent && end.kind === "rejected" && !end.ownership) {
    pass.leftEntries.note(object, answer.kind === "answered" && typeof answer.value === "string" ? answer.value : "refused");
    return { kind: "alreadyCurrent", ...(isWritten && { isWritten }) };
  }
  if (wasCurrent) return end.kind === "alreadyCurrent" && isWritten ? { ...end, isWritten } : end;
  if (end.kind === "alreadyCurrent") return { kind: "rewritten", resourceVersion };
  return end.kind === "rejected" ? { ...end, mayBeStored: true } : end;
}
