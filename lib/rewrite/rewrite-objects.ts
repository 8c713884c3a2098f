import { setMaxListeners } from "node:events";
import { forEachConcurrently } from "#lib/async/for-each-concurrently.ts";
import { oneAhead } from "#lib/async/one-ahead.ts";
import { jitteredBackoffMs, sleep } from "#lib/async/sleep.ts";
import type { Connection } from "#lib/cluster/connection.ts";
import { type ObjectMetadata, objectPages, rewriteObject } from "#lib/cluster/custom-objects.ts";
import type { Crd } from "#lib/domain/crd.ts";
import { compareResourceVersions } from "#lib/domain/resource-version.ts";
import { classifyFailure } from "./classify-failure.ts";
import type { Gate } from "./gate.ts";
import { StopRun } from "./stop-run.ts";
import type { Tally } from "./tally.ts";
import { throughGate } from "./through-gate.ts";

export interface Pass {
  connection: Connection;
  crd: Crd;
  /** The storage version, at which objects are listed and patched. */
  version: string;
  /** Objects above this resourceVersion are at the storage version and need no request; null patches every object. */
  settleResourceVersion: string | null;
  gate: Gate;
  tally: Tally;
  runId: string;
  signal: AbortSignal;
}

export interface PassResult {
  /** Of the list that the pass went through. */
  resourceVersion: string;
  objects: number;
  /** Requests that were needed, and how many of them changed what is stored. */
  patched: number;
  rewritten: number;
  rejected: number;
}

/** As fast as one API server on two cores allows; more connections gained nothing when measured. */
const CONCURRENCY = 24;
const MAX_ATTEMPTS = 5;
const BACKOFF = { firstMs: 100, maxMs: 3_000 };

/**
 * One pass over all objects: those above the settle point are current, each of the others gets one no-op write, which makes
 * the API server store it at the storage version. Every object ends in one outcome; a rejected one never stops the rest.
 * @throws StopRun when the pass can't go on, and the signal's reason.
 */
export async function rewriteObjects(given: Pass): Promise<PassResult> {
  const result: PassResult = { resourceVersion: "", objects: 0, patched: 0, rewritten: 0, rejected: 0 };
  // The first error ends the whole pass at once: what waits at the gate, what is under way, and the next page.
  const ending = new AbortController();
  const pass = { ...given, signal: AbortSignal.any([given.signal, ending.signal]) };
  setMaxListeners(0, pass.signal);
  const onFailure = (error: unknown) => ending.abort(error);

  await forEachConcurrently(staleObjects(pass, result), { concurrency: CONCURRENCY, signal: pass.signal, onFailure }, async (object) => {
    const outcome = await rewriteOne(pass, object);
    result.patched += 1;
    if (outcome.kind === "rewritten") result.rewritten += 1;
    if (outcome.kind === "rejected") result.rejected += 1;
    pass.tally.count(object, outcome);
  });
  return result;
}

/** The objects that may be stored at an older version; the others are counted as current on the way. */
async function* staleObjects(pass: Pass, result: PassResult): AsyncGenerator<ObjectMetadata> {
  const { connection, crd, version, signal, runId } = pass;
  const attempt = <T>(request: () => Promise<T>) => throughGate(pass.gate, signal, request);
  for await (const page of oneAhead(objectPages(connection, crd, { version, signal, runId, attempt }))) {
    if (page.restarted) {
      Object.assign(result, { objects: 0, patched: 0, rewritten: 0, rejected: 0 });
      pass.tally.restart();
    }
    if (page.total !== null) pass.tally.expect(page.total);
    result.resourceVersion = page.resourceVersion;
    for (const object of page.objects) {
      result.objects += 1;
      if (pass.settleResourceVersion !== null && compareResourceVersions(object.resourceVersion, pass.settleResourceVersion) > 0) {
        pass.tally.count(object, { kind: "alreadyCurrent" });
      } else {
        yield object;
      }
    }
  }
}

/** How an object ended. */
export type Outcome = { kind: "rewritten" | "alreadyCurrent" | "gone" } | { kind: "rejected"; reason: string; message: string };

async function rewriteOne(pass: Pass, object: ObjectMetadata): Promise<Outcome> {
  const { connection, crd, version, gate, signal, runId } = pass;
  let firstFailureAt: number | null = null;
  for (let attempts = 0; ; ) {
    await gate.enter(signal);
    const sentAt = performance.now();
    try {
      const resourceVersion = await rewriteObject(connection, crd, version, object, { signal, runId });
      gate.succeeded();
      return { kind: resourceVersion === object.resourceVersion ? "alreadyCurrent" : "rewritten" };
    } catch (error) {
      signal.throwIfAborted();
      const failure = classifyFailure(error, object);
      if (failure.kind === "stop") throw new StopRun("failed", failure.message);
      if (failure.kind === "gone" || failure.kind === "rejected") {
        gate.succeeded();
        return failure;
      }
      const { kind, reason, message, afterMs } = failure;
      firstFailureAt ??= performance.now();
      if (kind === "retry" || (reason !== null && gate.lastSuccessAt() > sentAt)) attempts += 1;
      if (reason !== null && attempts >= MAX_ATTEMPTS && gate.lastSuccessAt() > firstFailureAt) {
        // Others were dealt with since it first failed, so it is this object's own trouble.
        gate.open();
        return { kind: "rejected", reason, message };
      }
      if (kind === "wait" || attempts >= MAX_ATTEMPTS || gate.cause() !== null) gate.close(message, afterMs);
      else await sleep(Math.max(afterMs ?? 0, jitteredBackoffMs(attempts, BACKOFF)), signal);
    }
  }
}
