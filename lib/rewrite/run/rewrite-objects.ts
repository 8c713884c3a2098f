import { setMaxListeners } from "node:events";
import { forEachConcurrently } from "#lib/async/for-each-concurrently.ts";
import { oneAhead } from "#lib/async/one-ahead.ts";
import { type ObjectMetadata, objectPages } from "#lib/cluster/objects/object-pages.ts";
import { otherServedVersions } from "#lib/domain/definition/stored-versions.ts";
import { hasOwn } from "#lib/domain/objects/own-entries.ts";
import { compareResourceVersions, isAboveSettlePoint } from "#lib/domain/objects/resource-version.ts";
import type { ObjectName } from "#lib/domain/rewrite/run.ts";
import { throughGate } from "#lib/rewrite/pacing/through-gate.ts";
import type { Outcome } from "#lib/rewrite/run/object/outcome.ts";
import { isCarryDue } from "#lib/rewrite/run/object/ownership/keep-ownership.ts";
import { rewriteObject } from "#lib/rewrite/run/object/rewrite-object.ts";
import { type ListedObject, missingObjects } from "#lib/rewrite/run/object/still-listed.ts";
import { countOutcome } from "#lib/rewrite/run/progress/outcomes-here.ts";
import { StopRun } from "#lib/rewrite/run/stop-run.ts";
import { answering, outlasting } from "./outlasting.ts";
import { type Disproof, isSkipped, noteFind, type Pass } from "./pass.ts";

export interface PassResult {
  /** The resourceVersion of the list. */
  resourceVersion: string;
  objects: number;
  /** Objects that needed a request, and how many of those were rewritten. */
  patched: number;
  rewritten: number;
  rejected: number;
  /**
   * Objects above the settle point that a patch changed or that could not be patched: something still stores at an older version. Not 0 if
   * anything else disproves the settle point, such as a write without an answer whose object is gone.
   */
  disproving: number;
  /** One that a patch changed although it was above the settle point; null if there was none. */
  changed: ObjectName | null;
  /** One that others changed before each of its patches; null if there was none. */
  busy: ObjectName | null;
  /** Objects that a finalizer holds, and that a deletion may have stored after the settle point was taken. */
  marked: number;
}

/** Workers waiting for a slot; the pacer decides how many get one at a time. */
const WORKERS = 24;
/** How far the API servers' clocks may be behind crdshift's, in ms. */
const CLOCKS_DIFFER = 10 * 60_000;

/**
 * Makes one pass over all objects. Objects above the settle point are current; each other object gets one no-op write, which makes the
 * API server store it at the storage version. Every object has one outcome; a rejection doesn't stop the rest, unless the write emptied
 * managedFields that a dry run had kept. One that a request doesn't find, and a list does, is rejected.
 * @throws StopRun if the pass can't continue, and the signal's reason.
 */
export async function rewriteObjects(given: Omit<Pass, "lasting" | "answering">): Promise<PassResult> {
  let result = emptyResult();
  // Not of the list, which may restart.
  let disproving = 0;
  let slowlyDeleted = 0;
  let isWithdrawn = false;
  let changed: ObjectName | null = null;
  let busy: ObjectName | null = null;
  // They count once a list doesn't have them either.
  const missing = missingObjects();
  const countGone = () => {
    for (const object of missing.take()) countOutcome(given.tally, object, { kind: "gone" });
  };
  const begin = () => {
    countGone();
    result = emptyResult();
    given.tally.begin(given.skipAbove ?? given.settleResourceVersion);
  };
  // The first error ends the whole pass at once: waiting requests, requests in progress and the next page.
  const ending = new AbortController();
  const signal = AbortSignal.any([given.signal, ending.signal]);
  setMaxListeners(0, signal);
  const onDisproof = (disproof: Disproof) => {
    isWithdrawn ||= disproof.of === "settle-point";
    return given.onDisproof(disproof);
  };
  const pass = { ...given, onDisproof, signal, lasting: outlasting(signal), answering: answering(signal) };
  const onFailure = (error: unknown) => ending.abort(error);

  const conclude = async (object: ListedObject | ObjectMetadata, outcome: Outcome, list: typeof result) => {
    const isDisproving = await disproves(pass, object, outcome, list.resourceVersion);
    if (isDisproving) disproving += 1;
    // A deletion that goes over objects again that have been terminating for long leaves the mark as it was.
    if (isDisproving && "deletionTimestamp" in object && object.deletionTimestamp && !isMarkedSince(pass, object)) slowlyDeleted += 1;
    if (isDisproving && outcome.kind === "rewritten") changed = { namespace: object.namespace, name: object.name };
    if (outcome.kind === "alreadyCurrent" && outcome.isBusy) busy = { namespace: object.namespace, name: object.name };
    // The list has restarted, so the object is listed and counted again.
    if (list !== result) return pass.tally.countLate(outcome);
    result.patched += 1;
    if (outcome.kind === "rewritten") result.rewritten += 1;
    if (outcome.kind === "rejected") result.rejected += 1;
    countOutcome(pass.tally, object, outcome, isDisproving);
  };
  const settleMissing = () => {
    const list = result;
    return missing.settle(pass, (object, end) => conclude(object, end, list));
  };

  const objects = staleObjects(pass, () => result, begin);
  try {
    await forEachConcurrently(objects, { concurrency: WORKERS, signal: pass.signal, onFailure }, async (object) => {
      const list = result;
      const outcome = await rewriteObject(pass, object);
      if (outcome.kind !== "gone" || list !== result) return conclude(object, outcome, list);
      missing.add(object);
      if (missing.isFull()) await settleMissing();
    });
    await settleMissing();
  } finally {
    countGone();
  }
  await given.guard.admission?.close();
  return { ...result, marked: result.marked + slowlyDeleted, disproving: Math.max(disproving, isWithdrawn ? 1 : 0), changed, busy };
}

function emptyResult(): Omit<PassResult, "disproving" | "changed" | "busy"> {
  return { resourceVersion: "", objects: 0, patched: 0, rewritten: 0, rejected: 0, marked: 0 };
}

/**
 * Whether an object disproves the settle point. Any that changes or is rejected disproves a proof that counts it. This is recorded before
 * the object counts: if this process dies, the evidence must not outlive what disproved it.
 */
async function disproves(pass: Pass, object: ListedObject, outcome: Outcome, listedAt: string): Promise<boolean> {
  if (outcome.kind !== "rewritten" && outcome.kind !== "rejected") return false;
  // One that was rewritten is on record since. A rejected object has no resourceVersion of its rejection, but the list is no later than
  // that.
  if (outcome.kind === "rewritten") return isAboveSettlePoint(object.resourceVersion, pass.settleResourceVersion);
  const resourceVersion = outcome.movedTo ?? object.resourceVersion;
  const found = outcome.mayBeStored ? "changed" : "rejected";
  await noteFind(pass, { resourceVersion }, { found, foundAt: outcome.movedTo ?? listedAt });
  return isAboveSettlePoint(resourceVersion, pass.settleResourceVersion);
}

/** A DELETECOLLECTION may take longer than any wait, and marks the objects that finalizers hold (apiserver's --request-timeout). */
function isMarkedSince({ settleResourceVersion, settledAt }: Pass, { resourceVersion, deletionTimestamp }: ObjectMetadata): boolean {
  // The API server dates the first mark when it stores it (apiserver/pkg/registry/generic/registry/store.go, markAsDeleting).
  return isAboveSettlePoint(resourceVersion, settleResourceVersion) && (deletionTimestamp ?? 0) > settledAt - CLOCKS_DIFFER;
}

const OLDER_LIST =
  "A list of the objects is older than the settle point: etcd was restored from a backup, or something in front of the API server answers " +
  "from a cache, which must be turned off.";

/** Yields the objects that may be stored at an older version, or that name crdshift in managedFields, and counts the others as current. */
async function* staleObjects(
  pass: Pass,
  result: () => Omit<PassResult, "disproving" | "changed" | "busy">,
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
    if (compareResourceVersions(page.resourceVersion, pass.settleResourceVersion) < 0) throw new StopRun("failed", OLDER_LIST);
    for (const object of page.objects) {
      now.objects += 1;
      if (isMarkedSince(pass, object)) now.marked += 1;
      if (isSkipped(pass, object) && !hasOwn(object.managedFields) && !isCarryDue(pass, object)) {
        countOutcome(pass.tally, object, { kind: "alreadyCurrent" });
      } else {
        yield object;
      }
    }
  }
  // Not what the first page announced: a list that continued inconsistently leaves out what was deleted since.
  if (!isFirst) pass.tally.expect(result().objects);
}
