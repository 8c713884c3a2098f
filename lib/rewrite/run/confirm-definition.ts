import { z } from "zod";
import { jitteredBackoffMs, sleep } from "#lib/async/sleep.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { definitionPath, readCrd } from "#lib/cluster/definitions/crds.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { readIntoFleet } from "#lib/cluster/fleet/read-into-fleet.ts";
import { OBJECT_AS_METADATA } from "#lib/cluster/objects/custom-objects.ts";
import { clusterAnswer } from "#lib/cluster/transport/cluster-answer.ts";
import { requestJson } from "#lib/cluster/transport/request.ts";
import { errorWords } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { isOlderState } from "#lib/domain/definition/is-older-state.ts";
import { compareResourceVersions } from "#lib/domain/objects/resource-version.ts";
import { crdIdentity, identityChange } from "#lib/domain/rewrite/identity.ts";
import type { Gate } from "#lib/rewrite/pacing/outage-gate.ts";
import type { Pacer } from "#lib/rewrite/pacing/pacer.ts";
import { throughGate } from "#lib/rewrite/pacing/through-gate.ts";
import { lastingDenial } from "#lib/rewrite/record/lasting-denial.ts";
import { classifyFailure } from "#lib/rewrite/run/object/request/classify-failure.ts";
import { isStopRun, StopRun } from "./stop-run.ts";
import { sentenceOfUnconfirmed, type UnconfirmedWrites } from "./unconfirmed-writes.ts";

export interface Confirming {
  connection: Connection;
  /** The definition as the work knows it. */
  crd: Crd;
  gate: Gate;
  /** While it is paused, and nothing is under way, the definition isn't read. */
  pacer: Pick<Pacer, "paused">;
  /** Only where the end is to tell of them: unconfirmedSentence. */
  writes?: UnconfirmedWrites;
  runId?: string;
  signal: AbortSignal;
}

const CONFIRM_EVERY_MS = 500;
/** Counts from when the request was sent: what a slow answer says may be over. */
const CONFIRMED_FOR_MS = 1_000;
/** An API server whose answers take longer than that lets a few writes through after each. */
const AT_LEAST_MS = 200;
const READ_TIMEOUT_MS = 10_000;
const RETRY = { firstMs: CONFIRM_EVERY_MS, maxMs: 3_000 };
/** Whoever stopped the work waits for the answer. */
const LAST_READ_WITHIN_MS = 800;

const identitySchema = z.object({ metadata: z.object({ uid: z.string(), generation: z.number(), resourceVersion: z.string() }) });

/**
 * Works while the definition is known to be unchanged: it is read twice a second, and the gate is held whenever the last answer is too
 * old. A watch may lag or hang, and what was safe to write at one storage version loses fields at another.
 * @throws StopRun once the definition has changed, is gone, can't be read from the start, or its token is rejected; and what `work` throws.
 */
export async function whileConfirmed<Result>(confirming: Confirming, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const { gate, signal } = confirming;
  const changed = new AbortController();
  const done = new AbortController();
  const confirmed = keepConfirming({ ...confirming, signal: AbortSignal.any([signal, done.signal]) }).catch((error: unknown) =>
    changed.abort(error),
  );
  try {
    const within = AbortSignal.any([signal, changed.signal]);
    const result = await work(within);
    // What was written last may have met another definition.
    await throughGate(gate, within, () => confirmDefinition({ ...confirming, signal: within }));
    return result;
  } finally {
    done.abort();
    await confirmed;
    gate.definition.release();
  }
}

async function keepConfirming(confirming: Confirming): Promise<void> {
  const { gate, pacer, signal } = confirming;
  gate.definition.release(0);
  let isReadable = false;
  const denial = lastingDenial("The definition can't be read any more");
  for (let failures = 0; !signal.aborted; ) {
    const sentAt = Date.now();
    try {
      // A process that has slept looks at its record before anything else.
      if (gate.record.cause() === null && gate.askedToWaitMs() === 0 && pacer.paused() !== "in-force") {
        await confirmDefinition(confirming);
        const now = Date.now();
        // The clock may be set back meanwhile.
        const until = Math.max(Math.min(sentAt, now) + CONFIRMED_FOR_MS, now + AT_LEAST_MS);
        if (now - sentAt <= READ_TIMEOUT_MS) gate.definition.release(until);
        failures = 0;
        isReadable = true;
        denial.succeeded();
      }
    } catch (error) {
      if (signal.aborted) return;
      if (isStopRun(error)) throw error;
      const failure = classifyFailure(error, null);
      if (failure.kind === "interrupt") throw new StopRun("interrupted", failure.message, { cause: error });
      // An API server that has just started denies what it granted before, until it knows its roles.
      if (failure.kind === "stop" && !isReadable) throw new StopRun("failed", failure.message, { cause: error });
      denial.failed(error);
      failures += 1;
      if (failure.kind === "wait" && failure.afterMs !== null) gate.close(failure.message, failure.afterMs);
      gate.definition.hold(`The definition can't be read: ${errorWords(error)}`);
    }
    const waitMs =
      failures > 0 ? jitteredBackoffMs(failures - 1, RETRY) : Math.min(CONFIRM_EVERY_MS, CONFIRM_EVERY_MS - (Date.now() - sentAt));
    // No longer than the server asked for, if it did: then a probe may be sent.
    await sleep(Math.max(0, Math.min(waitMs, gate.askedToWaitMs() || waitMs)), signal).catch(() => {});
  }
}

/**
 * Reads once whether the definition is unchanged: only its metadata, because a schema may take a megabyte. Any change of the spec raises
 * the generation, and only a restore lowers the resourceVersion. If anything else has changed, such as `status.storedVersions`, and the watch
 * hasn't told, all of it is read.
 * @throws StopRun if it has changed or is gone, and the cluster's errors.
 */
async function confirmDefinition({ connection, crd, writes, runId, signal }: Omit<Confirming, "gate" | "pacer">): Promise<void> {
  const confirmed = writes?.reading();
  const known = fleetOf(connection).lastKnown(crd.name);
  try {
    // Its annotations may hold all of it once more.
    const read = { path: definitionPath(crd.name), accept: OBJECT_AS_METADATA, timeoutMs: READ_TIMEOUT_MS, line: "definitions" as const };
    const { json } = await requestJson(connection, { ...read, ...(runId && { runId }), signal });
    const now = identitySchema.parse(json).metadata;
    if (now.uid === crd.uid && now.generation === crd.generation) {
      if (isOlderState(now, crd) || isOlderState(now, known)) throw definitionChanged("etcd was restored from a backup");
      confirmed?.();
      return await noteChange(connection, crd, now.resourceVersion, signal);
    }
  } catch (error) {
    const answer = clusterAnswer(error);
    throw answer?.status === 404 && answer.name === crd.name ? definitionChanged("it was deleted") : error;
  }
  const identity = crdIdentity(crd);
  const { crd: now } = await readCrd(connection, crd.name, signal);
  throw definitionChanged((identity && identityChange(now, identity)) ?? "its spec changed");
}

async function noteChange(connection: Connection, { name, uid }: Crd, resourceVersion: string, signal: AbortSignal): Promise<void> {
  const known = fleetOf(connection).crd(name);
  if (known?.uid === uid && compareResourceVersions(known.resourceVersion, resourceVersion) >= 0) return;
  await readIntoFleet(connection, name, signal);
}

const CHANGED = "The definition changed meanwhile: ";

/** Why work on its objects can't go on. */
export function definitionChanged(how: string): StopRun {
  return new StopRun("failed", `${CHANGED}${how}.`);
}

/** Whether it is that. */
export function isDefinitionChange(error: unknown): error is StopRun {
  return isStopRun(error) && error.message.startsWith(CHANGED);
}

/**
 * What to say of the last writes of work that ends early: how many objects may have met another definition. Reads the definition once more
 * if there are any; null if it is unchanged.
 */
export async function unconfirmedSentence(
  confirming: Omit<Confirming, "gate" | "pacer"> & { writes: UnconfirmedWrites },
): Promise<string | null> {
  const { writes } = confirming;
  if (writes.objects() === 0 || (await lastReading(confirming)) === null) return null;
  // It may have confirmed them before it failed.
  const objects = writes.objects();
  return objects === 0 ? null : sentenceOfUnconfirmed(objects);
}

/** Reads the definition once more, as work ends early: null if it is unchanged, otherwise how it changed, or why that can't be read. */
export function lastReading(confirming: Omit<Confirming, "gate" | "pacer">): Promise<unknown> {
  return confirmDefinition({ ...confirming, signal: AbortSignal.timeout(LAST_READ_WITHIN_MS) }).then(
    () => null,
    (error: unknown) => error,
  );
}
