import { setMaxListeners } from "node:events";
import { forEachConcurrently } from "#lib/async/for-each-concurrently.ts";
import { oneAhead } from "#lib/async/one-ahead.ts";
import { type ObjectMetadata, objectPages } from "#lib/cluster/objects/object-pages.ts";
import { otherServedVersions } from "#lib/domain/definition/stored-versions.ts";
import { isAboveSettlePoint } from "#lib/domain/objects/resource-version.ts";
import { lossRefusal } from "#lib/rewrite/guards/loss-refusal.ts";
import { throughGate } from "#lib/rewrite/pacing/through-gate.ts";
import { type Kept, restoreOwnership, rewriteKeepingOwnership } from "./keep-ownership.ts";
import type { Outcome } from "./outcome.ts";
import { outcomesHere } from "./outcomes-here.ts";
import type { Pass } from "./pass.ts";
import { patchObject } from "./patch-object.ts";
import { type ObjectAnswer, requestForObject } from "./request-for-object.ts";
import { StopRun } from "./stop-run.ts";

export interface PassResult {
  /** The resourceVersion of the list. */
  resourceVersion: string;
  objects: number;
  /** Objects that needed a request, and how many of those were rewritten. */
  patched: number;
  rewritten: number;
  rejected: number;
}

const UNKEEPABLE =
  "Its managedFields can't be carried over: its values don't fit the storage version's schema, so the API server empties managedFields anyway. " +
  "Change the values or the schema, or accept the loss of ownership.";

/** Workers waiting for a slot; the pacer decides how many get one at a time. */
const WORKERS = 24;

/**
 * Makes one pass over all objects. Objects above the settle point are current; each other object gets one no-op write, which makes the
 * API server store it at the storage version. Every object has one outcome; a rejection never stops the rest.
 * @throws StopRun if the pass can't continue, and the signal's reason.
 */
export async function rewriteObjects(given: Pass): Promise<PassResult> {
  let result = emptyResult();
  const restart = () => {
    result = emptyResult();
    given.tally.restart();
  };
  // The first error ends the whole pass at once: waiting requests, requests in progress and the next page.
  const ending = new AbortController();
  const pass = { ...given, signal: AbortSignal.any([given.signal, ending.signal]) };
  setMaxListeners(0, pass.signal);
  const onFailure = (error: unknown) => ending.abort(error);

  const objects = staleObjects(pass, () => result, restart);
  await forEachConcurrently(objects, { concurrency: WORKERS, signal: pass.signal, onFailure }, async (object) => {
    const list = result;
    const outcome = await rewriteOne(pass, object);
    // The list has restarted, so the object is listed and counted again.
    if (list !== result) return;
    result.patched += 1;
    if (outcome.kind === "rewritten") result.rewritten += 1;
    if (outcome.kind === "rejected") result.rejected += 1;
    count(pass, object, outcome);
  });
  return result;
}

function emptyResult(): PassResult {
  return { resourceVersion: "", objects: 0, patched: 0, rewritten: 0, rejected: 0 };
}

/** Yields the objects that may be stored at an older version, and counts the others as current. */
async function* staleObjects(pass: Pass, result: () => PassResult, restart: () => void): AsyncGenerator<ObjectMetadata> {
  const { connection, crd, version, signal, runId, gate } = pass;
  const pages = objectPages(connection, crd, {
    ...{ version, signal, runId, otherVersions: otherServedVersions(crd, version) },
    attempt: (request, options) => throughGate(gate, signal, request, options),
  });
  for await (const page of oneAhead(pages)) {
    if (page.restarted) restart();
    if (page.total !== null) pass.tally.expect(page.total);
    const now = result();
    // Use the first page's: if the list continued inconsistently, later pages have newer ones, which don't hold for earlier pages.
    now.resourceVersion ||= page.resourceVersion;
    for (const object of page.objects) {
      now.objects += 1;
      if (isAboveSettlePoint(object.resourceVersion, pass.settleResourceVersion)) {
        count(pass, object, { kind: "alreadyCurrent" });
      } else {
        yield object;
      }
    }
  }
}

function count({ tally }: Pass, object: ObjectMetadata, outcome: Outcome): void {
  tally.count(object, outcome);
  outcomesHere()[outcome.kind] += 1;
}

async function rewriteOne(pass: Pass, object: ObjectMetadata): Promise<Outcome> {
  const first = await patchOne(pass, object, false);
  const answer = first.kind === "rejected" && pass.throughStatus ? await patchOne(pass, object, true) : first;
  // The main resource's error is the one a person has to fix.
  if (answer.kind === "rejected") return first.kind === "rejected" ? first : answer;
  if (answer.kind === "gone") return answer;
  if (answer.value === "unkeepable") return { kind: "rejected", reason: "OwnershipLost", message: UNKEEPABLE };
  const { resourceVersion, owned, kept } = answer.value;
  const lost = object.writes.length > 0 && !owned;
  if (lost && !pass.lossesAccepted) {
    if ((await restoreOwnership(pass, object)) !== null) return { kind: "rewritten", throughStatus: answer !== first, ownership: "kept" };
    throw new StopRun(
      "failed",
      `The API server emptied managedFields of ${object.namespace}/${object.name}, which no dry run had predicted. The rewrite stopped: ` +
        "start a dry run, then keep ownership or accept the loss.",
    );
  }
  if (resourceVersion === object.resourceVersion) return { kind: "alreadyCurrent" };
  return { kind: "rewritten", throughStatus: answer !== first, ...((lost || kept) && { ownership: lost ? "lost" : "kept" }) };
}

async function patchOne(pass: Pass, object: ObjectMetadata, throughStatus: boolean): Promise<ObjectAnswer<Kept>> {
  const refusal = pass.guarded ? await lossRefusal(pass, object, throughStatus) : null;
  if (refusal) return refusal;
  const send = async (): Promise<Kept> => {
    if (pass.keepOwnership) return rewriteKeepingOwnership(pass, object, throughStatus);
    return { ...(await patchObject(pass, object, throughStatus)), kept: false };
  };
  return requestForObject(pass, object, send, (kept) => kept === "unkeepable" || kept.resourceVersion !== object.resourceVersion);
}
