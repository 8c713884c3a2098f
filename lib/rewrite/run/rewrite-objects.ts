import { setMaxListeners } from "node:events";
import { forEachConcurrently } from "#lib/async/for-each-concurrently.ts";
import { oneAhead } from "#lib/async/one-ahead.ts";
import { type ObjectMetadata, objectPages } from "#lib/cluster/objects/object-pages.ts";
import { otherServedVersions } from "#lib/domain/definition/stored-versions.ts";
import { isAboveSettlePoint } from "#lib/domain/objects/resource-version.ts";
import type { ObjectName } from "#lib/domain/rewrite/run.ts";
import { lossRefusal, withStatusLoss } from "#lib/rewrite/guards/loss-refusal.ts";
import { uncheckedWrite } from "#lib/rewrite/guards/unchecked-write.ts";
import { throughGate } from "#lib/rewrite/pacing/through-gate.ts";
import { disown, type Kept, rewriteKeepingOwnership, type Unkeepable } from "#lib/rewrite/run/object/keep-ownership.ts";
import type { Outcome } from "#lib/rewrite/run/object/outcome.ts";
import { type Attempts, patchObject } from "#lib/rewrite/run/object/patch-object.ts";
import { type ObjectAnswer, requestForObject } from "#lib/rewrite/run/object/request-for-object.ts";
import { restoreOwnership } from "#lib/rewrite/run/object/restore-ownership.ts";
import { type ListedObject, MAX_GONE, STILL_LISTED, stillListed } from "#lib/rewrite/run/object/still-listed.ts";
import { outcomesHere } from "#lib/rewrite/run/progress/outcomes-here.ts";
import type { Pass } from "./pass.ts";
import { notingWrites, type ObjectWrite } from "./unconfirmed-writes.ts";

export interface PassResult {
  /** The resourceVersion of the list. */
  resourceVersion: string;
  objects: number;
  /** Objects that needed a request, and how many of those were rewritten. */
  patched: number;
  rewritten: number;
  rejected: number;
  /** Objects above the settle point that a patch changed or that could not be patched: something still stores at an older version. */
  disproving: number;
  /** One that a patch changed although it was above the settle point; null if there was none. */
  changed: ObjectName | null;
  /** Objects above the settle point that a finalizer holds while they are being deleted. */
  marked: number;
}

const UNKEEPABLE: Record<Unkeepable, string> = {
  unkeepable:
    "Its managedFields can't be carried over: its values don't fit the storage version's schema, so the API server empties managedFields anyway. " +
    "Change the values or the schema, or accept the loss of ownership.",
  "other-schema":
    "Its managedFields can't be carried over: the storage version's schema has other list types, map keys, or map types for fields that its " +
    "entries own, so the entries would own nothing there. Apply it at the storage version as those managers, or accept the loss of ownership.",
};

/** Workers waiting for a slot; the pacer decides how many get one at a time. */
const WORKERS = 24;

/**
 * Makes one pass over all objects. Objects above the settle point are current; each other object gets one no-op write, which makes the
 * API server store it at the storage version. Every object has one outcome; a rejection never stops the rest. One that a request doesn't
 * find, and a list does, is rejected.
 * @throws StopRun if the pass can't continue, and the signal's reason.
 */
export async function rewriteObjects(given: Pass): Promise<PassResult> {
  let result = emptyResult();
  // Not of the list, which may restart.
  let disproving = 0;
  let changed: ObjectName | null = null;
  // They count once a list doesn't have them either.
  const gone: ListedObject[] = [];
  const countGone = () => {
    for (const object of gone.splice(0)) count(given, object, { kind: "gone" });
  };
  const begin = () => {
    countGone();
    result = emptyResult();
    given.tally.begin(given.skipAbove ?? given.settleResourceVersion);
  };
  // The first error ends the whole pass at once: waiting requests, requests in progress and the next page.
  const ending = new AbortController();
  const pass = { ...given, signal: AbortSignal.any([given.signal, ending.signal]) };
  setMaxListeners(0, pass.signal);
  const onFailure = (error: unknown) => ending.abort(error);

  const conclude = async (object: ListedObject, outcome: Outcome, list: typeof result) => {
    const isDisproving = await disproves(pass, object, outcome, list.resourceVersion);
    if (isDisproving) disproving += 1;
    if (isDisproving && outcome.kind === "rewritten") changed = { namespace: object.namespace, name: object.name };
    // The list has restarted, so the object is listed and counted again.
    if (list !== result) return pass.tally.countLate(outcome);
    result.patched += 1;
    if (outcome.kind === "rewritten") result.rewritten += 1;
    if (outcome.kind === "rejected") result.rejected += 1;
    count(pass, object, outcome, isDisproving);
  };
  const confirmGone = async () => {
    const [list, objects] = [result, gone.splice(0)];
    const isListed = await stillListed(pass, objects);
    for (const object of objects) await conclude(object, isListed(object) ? STILL_LISTED : { kind: "gone" }, list);
  };

  const objects = staleObjects(pass, () => result, begin);
  try {
    await forEachConcurrently(objects, { concurrency: WORKERS, signal: pass.signal, onFailure }, async (object) => {
      const list = result;
      const outcome = await notingWrites(pass.writes, (write) => answered(pass, object, write), isUnchanged);
      if (outcome.kind !== "gone" || list !== result) return conclude(object, outcome, list);
      const { uid, namespace, name, resourceVersion } = object;
      gone.push({ uid, namespace, name, resourceVersion });
      if (gone.length >= MAX_GONE) await confirmGone();
    });
    await confirmGone();
  } finally {
    countGone();
  }
  await given.guard.admission?.close();
  return { ...result, disproving, changed };
}

function isUnchanged(outcome: Outcome): boolean {
  return outcome.kind === "alreadyCurrent" || outcome.kind === "gone" || (outcome.kind === "rejected" && !outcome.ownership);
}

function emptyResult(): Omit<PassResult, "disproving" | "changed"> {
  return { resourceVersion: "", objects: 0, patched: 0, rewritten: 0, rejected: 0, marked: 0 };
}

/**
 * Whether an object disproves the settle point. Any that changes or is rejected disproves a proof that counts it. This is recorded before
 * the object counts: if this process dies, the evidence must not outlive what disproved it.
 */
async function disproves(pass: Pass, object: ListedObject, outcome: Outcome, listedAt: string): Promise<boolean> {
  if (outcome.kind !== "rewritten" && outcome.kind !== "rejected") return false;
  // One that was rewritten is on record since. A rejected object has no resourceVersion of its rejection, but the list is no later than that.
  if (outcome.kind === "rejected") await noteFind(pass, object, listedAt);
  return isAboveSettlePoint(object.resourceVersion, pass.settleResourceVersion);
}

/** Resolves once a find is on record. */
async function noteFind(pass: Pass, { resourceVersion: objectAt }: ListedObject, foundAt: string): Promise<void> {
  const isAbove = isAboveSettlePoint(objectAt, pass.settleResourceVersion);
  await pass.onDisproof({ of: isAbove ? "settle-point" : "proof", objectAt, foundAt });
}

/** Yields the objects that may be stored at an older version, and counts the others as current. */
async function* staleObjects(
  pass: Pass,
  result: () => Omit<PassResult, "disproving" | "changed">,
  begin: () => void,
): AsyncGenerator<ObjectMetadata> {
  const { connection, crd, version, signal, runId, gate } = pass;
  const pages = objectPages(connection, crd, {
    ...{ version, signal, runId, otherVersions: otherServedVersions(crd, version) },
    attempt: (request, options) => throughGate(gate, signal, request, options),
  });
  let isFirst = true;
  for await (const page of oneAhead(pages)) {
    if (isFirst || page.restarted) begin();
    isFirst = false;
    if (page.total !== null) pass.tally.expect(page.total);
    const now = result();
    // Use the first page's: if the list continued inconsistently, later pages have newer ones, which don't hold for earlier pages.
    now.resourceVersion ||= page.resourceVersion;
    for (const object of page.objects) {
      now.objects += 1;
      // A DELETECOLLECTION may take longer than any wait, and marks the objects that finalizers hold (apiserver's --request-timeout).
      if (object.beingDeleted && isAboveSettlePoint(object.resourceVersion, pass.settleResourceVersion)) now.marked += 1;
      if (isAboveSettlePoint(object.resourceVersion, pass.skipAbove) && !object.beingDeleted) {
        count(pass, object, { kind: "alreadyCurrent" });
      } else {
        yield object;
      }
    }
  }
  // Not what the first page announced: a list that continued inconsistently leaves out what was deleted since.
  if (!isFirst) pass.tally.expect(result().objects);
}

function count({ tally }: Pass, object: ObjectName, outcome: Outcome, mayBeAgain = false): void {
  tally.count(object, outcome, mayBeAgain);
  outcomesHere()[outcome.kind] += 1;
}

/** The object's outcome. If the pass ends before a write is answered, the tally knows that it lacks one. */
async function answered(pass: Pass, object: ObjectMetadata, write: ObjectWrite): Promise<Outcome> {
  let isSent = false;
  const sent = () => {
    isSent = true;
    write.sent();
  };
  try {
    return await rewriteOne(pass, object, { ...write, sent });
  } catch (error) {
    if (isSent) pass.tally.countUnknown();
    throw error;
  }
}

async function rewriteOne(pass: Pass, object: ObjectMetadata, write: ObjectWrite): Promise<Outcome> {
  const first = await patchOne(pass, object, write, false);
  const answer = first.kind === "rejected" && pass.throughStatus ? await patchOne(pass, object, write, true) : first;
  // The main resource's error is the one a person has to fix.
  if (answer.kind === "rejected") return first.kind === "rejected" ? withStatusLoss(first, answer) : answer;
  if (answer.kind === "gone") return answer;
  if (typeof answer.value === "string") return { kind: "rejected", reason: "OwnershipLost", message: UNKEEPABLE[answer.value] };
  const { resourceVersion, owned, kept, managedFields } = answer.value;
  // Before anything else is sent for it: if this process dies then, no later run finds it again.
  if (resourceVersion !== object.resourceVersion) await noteFind(pass, object, resourceVersion);
  const lost = object.writes.length > 0 && !owned;
  if (lost && !pass.guard.acceptsLostOwnership(object.managedFields)) return restored(pass, object, resourceVersion, answer !== first);
  if (resourceVersion === object.resourceVersion) return { kind: "alreadyCurrent" };
  const emptied = await disown(pass, object, managedFields);
  if (emptied) return restored(pass, { ...object, managedFields: emptied }, resourceVersion, answer !== first);
  return {
    kind: "rewritten",
    resourceVersion,
    throughStatus: answer !== first,
    ...((lost || kept) && { ownership: lost ? "lost" : "kept" }),
  };
}

/** The outcome of an object whose managedFields crdshift's patch emptied, once they are put back. */
async function restored(pass: Pass, object: ObjectMetadata, emptiedAt: string, throughStatus: boolean): Promise<Outcome> {
  // No dry run has predicted it, so none is believed for the objects that are left.
  pass.guard = { ...pass.guard, mustCheck: async () => true };
  const rewritten = { kind: "rewritten", resourceVersion: emptiedAt, throughStatus } as const;
  const result = await restoreOwnership(pass, object).catch((error: unknown) => {
    // Stopped in between; the run must not keep the loss to itself.
    count(pass, object, { ...rewritten, ownership: "lost" });
    throw error;
  });
  if (result === "kept") return { ...rewritten, ownership: result };
  if (result !== "emptied" && result.kind === "gone") return result;
  const because = result === "emptied" ? "the API server empties them again." : result.message;
  const message = `The rewrite emptied its managedFields, and they can't be put back: ${because}`;
  return { kind: "rejected", reason: "OwnershipLost", message, ownership: "lost" };
}

async function patchOne(pass: Pass, object: ObjectMetadata, writing: ObjectWrite, throughStatus: boolean): Promise<ObjectAnswer<Kept>> {
  const { guard } = pass;
  // No dry run tries what is above the settle point, or goes through /status.
  const isUntried = throughStatus || isAboveSettlePoint(object.resourceVersion, pass.checkAbove);
  const mustCheck = !guard.isOff && (isUntried || (await guard.mustCheck(object)));
  const refusal = mustCheck ? await lossRefusal(pass, object, throughStatus) : null;
  if (refusal) return refusal;
  const attempts: Attempts = { unanswered: false };
  const onPatch: Pass["onPatch"] = (purpose) => {
    if (purpose !== "dryRun") writing.sent();
    pass.onPatch(purpose);
  };
  const noted = { ...pass, onPatch };
  const send = async (): Promise<Kept> => {
    if (pass.keepOwnership) return rewriteKeepingOwnership(noted, object, throughStatus, attempts);
    return { ...(await patchObject(noted, object, throughStatus, attempts)), kept: false };
  };
  const stored = (kept: Kept) => typeof kept !== "string" && kept.resourceVersion !== object.resourceVersion;
  const ask = () => requestForObject(pass, object, send, { effect: { stored } });
  return mustCheck || !guard.admission ? ask() : uncheckedWrite(guard.admission, object, ask);
}
