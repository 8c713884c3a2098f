import type { ObjectMetadata } from "#lib/cluster/objects/object-pages.ts";
import { hasMerged } from "#lib/domain/objects/managed-fields.ts";
import { hasOwn } from "#lib/domain/objects/own-entries.ts";
import { emptiedAgainstCheck } from "#lib/rewrite/guards/check-before-write.ts";
import { lossRefusal, withStatusLoss } from "#lib/rewrite/guards/loss-refusal.ts";
import type { Outcome } from "#lib/rewrite/run/object/outcome.ts";
import { disown, type Kept, writtenOf } from "#lib/rewrite/run/object/ownership/keep-ownership.ts";
import type { Unkeepable } from "#lib/rewrite/run/object/ownership/left-entries.ts";
import { restoreOwnership } from "#lib/rewrite/run/object/ownership/restore-ownership.ts";
import type { ObjectAnswer } from "#lib/rewrite/run/object/request/object-answer.ts";
import { mayHideIn, noteFind, type Pass } from "#lib/rewrite/run/pass.ts";
import { countOutcome } from "#lib/rewrite/run/progress/outcomes-here.ts";
import { isByChoice, isStopRun } from "#lib/rewrite/run/stop-run.ts";
import { notingSent, notingWrites, type ObjectWrite } from "#lib/rewrite/run/unconfirmed-writes.ts";
import type { Attempts } from "./note-lost-answer.ts";
import { wasAtStorageVersion } from "./was-at-storage-version.ts";
import type { Unchecked } from "./write-in-turn.ts";

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

/** What the answer to the last write, and what has to follow it, made of the object. `first` is that of its main resource. */
export async function endOfWrite(
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
  const isGone = answer.kind === "gone" || writtenOf(answer)?.unanswered === true;
  if (isGone && attempts.unanswered && !isNoted) {
    // What an earlier attempt has found, or written, nobody will tell.
    pass.tally.countUnknown();
    await noteFind(pass, object, { found: "changed", foundAt: object.resourceVersion });
  }
  if (answer.kind === "gone") return answer;
  if (typeof answer.value === "string") {
    const message = UNKEEPABLE[answer.value];
    return { kind: "rejected", reason: "OwnershipLost", message, ...(attempts.unanswered && { mayBeStored: true }) };
  }
  const { value } = answer;
  const { owners } = attempts;
  const finish = (within: Pass) => finished(within, object, value, { throughStatus: answer !== first, unchecked, owners });
  if (value.resourceVersion !== object.resourceVersion && !isNoted) {
    // Another write than the main resource's tells nothing by its generation.
    const mayTell = answer === first && !value.kept;
    if (mayTell && (await wasAtStorageVersion(pass, object, value, attempts))) return asCurrent(await finish(pass));
    await noteChanged(pass, object, value.resourceVersion, finish);
  }
  return finish(pass);
}

function asCurrent(outcome: Outcome): Outcome {
  return outcome.kind === "rewritten" && !outcome.ownership ? { kind: "alreadyCurrent", isWritten: true } : outcome;
}

/**
 * Notes that a write changed the object, before any other write is sent for it: if this process dies then, no later run finds it again. What
 * has to follow the write does so even if that can't be recorded: nobody else puts back managedFields that it emptied, or counts their loss.
 * Nothing is sent any more if the definition has changed, or someone else holds the run.
 */
export async function noteChanged(
  pass: Pass,
  object: ObjectMetadata,
  foundAt: string,
  finish: ((within: Pass) => Promise<Outcome>) | null,
): Promise<void> {
  try {
    await noteFind(pass, object, { found: "changed", foundAt });
  } catch (error) {
    const over = isStopRun(error) && !isByChoice(error) ? AbortSignal.abort(error) : null;
    const end = await finish?.({ ...pass, ...(over && { signal: over, lasting: over }) }).catch(() => null);
    if (end) countOutcome(pass.tally, object, end);
    throw error;
  }
}

/** What has to follow a write that was stored. */
async function finished(
  pass: Pass,
  object: ObjectMetadata,
  { resourceVersion, generation, owned, kept, managedFields, sent, isChecked = false }: Exclude<Kept, string>,
  { throughStatus, unchecked, owners }: { throughStatus: boolean; unchecked: Unchecked; owners: Attempts["owners"] },
): Promise<Outcome> {
  const lost = object.writes.length > 0 && !owned;
  if (lost && !pass.guard.acceptsNamedOwnership(object.managedFields)) {
    return restoredUnlessAccepted(pass, object, { emptiedAt: resourceVersion, throughStatus, isChecked });
  }
  // The entry for crdshift's defaults was one too many.
  if (pass.keepOwnership && owned && hasMerged(object.managedFields, managedFields)) {
    return restored(pass, object, resourceVersion, throughStatus);
  }
  if (resourceVersion === object.resourceVersion) return takeBack(pass, object, managedFields, { goesOn: true, isUnchanged: true });
  // It waits for a turn of its own, and nothing checks the object again.
  if (hasOwn(managedFields)) unchecked.begin();
  const listed = sent ?? owners ?? object.managedFields;
  const emptied = await disown(pass, object, managedFields, { listed, generation, goesOn: true });
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
 * `isUnchanged`: a patch has just shown that nothing is hidden, by changing nothing, or someone has written the object since the list. That it
 * was skipped shows nothing: anyone may have written the settle point which said so.
 */
export async function takeBack(
  pass: Pass,
  object: ObjectMetadata,
  managedFields: ObjectMetadata["managedFields"],
  { goesOn, isUnchanged }: { goesOn: boolean; isUnchanged: boolean },
): Promise<Outcome> {
  const current = { kind: "alreadyCurrent" } as const;
  if (!pass.takesBack || !hasOwn(managedFields)) return current;
  const mayHide = (at: string) => !isUnchanged && mayHideIn(pass, at);
  const look = async () => (pass.guard.isOff ? null : lossRefusal({ ...pass, admission: pass.guard.admission, mayHide }, object));
  const write = (writing: ObjectWrite) =>
    disown({ ...pass, onPatch: notingSent(writing, pass.onPatch) }, object, managedFields, {
      ...{ listed: object.managedFields, generation: object.generation, look, goesOn },
    });
  const emptied = await notingWrites(pass.writes, write, () => false);
  if (!emptied) return current;
  const end = await restored(pass, { ...object, managedFields: emptied }, object.resourceVersion, false);
  return end.kind === "rewritten" ? current : end;
}

/**
 * The same as `restored`; where they can't be put back, and that loss was accepted, they are lost. Throws StopRun if it wasn't, and a dry run
 * right before the write had kept them: nothing would keep the next object's.
 */
export async function restoredUnlessAccepted(
  pass: Pass,
  object: ObjectMetadata,
  { emptiedAt, throughStatus, isChecked }: { emptiedAt: string; throughStatus: boolean; isChecked: boolean },
): Promise<Outcome> {
  const isAccepted = pass.guard.acceptsLostOwnership(object.managedFields);
  // What is accepted is no reason to check all others.
  const end = await restored(isAccepted ? { ...pass } : pass, object, emptiedAt, throughStatus, isAccepted);
  if (end.kind !== "rejected") return end;
  if (isAccepted) return { kind: "rewritten", resourceVersion: emptiedAt, throughStatus, ownership: "lost" };
  if (!isChecked) return end;
  countOutcome(pass.tally, object, end);
  throw emptiedAgainstCheck(object);
}

/** The outcome of an object whose managedFields crdshift's patch emptied, once they are put back. */
async function restored(
  pass: Pass,
  object: ObjectMetadata,
  emptiedAt: string,
  throughStatus: boolean,
  isLossAccepted = false,
): Promise<Outcome> {
  // No dry run has predicted it, so none is believed for the objects that are left.
  pass.guard = { ...pass.guard, mustCheck: async () => true };
  const rewritten = { kind: "rewritten", resourceVersion: emptiedAt, throughStatus } as const;
  const result = await restoreOwnership(pass, object, { isLossAccepted }).catch((error: unknown) => {
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
