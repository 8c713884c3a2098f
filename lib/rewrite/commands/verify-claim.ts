import type { Connection } from "#lib/cluster/connection/connection.ts";
import { noticedRestore, restoredSince } from "#lib/cluster/definitions/evidence/evidence-before-restore.ts";
import { definitionKey } from "#lib/cluster/definitions/evidence/per-definition.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { AppError, isAppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { Proof } from "#lib/domain/record/rewrite-record.ts";
import { formatDuration } from "#lib/domain/wording/format-duration.ts";
import { withoutPeriod } from "#lib/domain/wording/without-period.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";
import { createGate, type Gate } from "#lib/rewrite/pacing/outage-gate.ts";
import { unconfirmedSentence } from "#lib/rewrite/run/confirm-definition.ts";
import { isStopRun } from "#lib/rewrite/run/stop-run.ts";
import { unconfirmedWrites } from "#lib/rewrite/run/unconfirmed-writes.ts";
import { endAtShutdown } from "#lib/rewrite/run/work-beside-runs.ts";
import { asUnrecorded, doubtfulClaim, rewriteFirst } from "./doubtful-claim.ts";
import { type Verifying, verifyClaimedObjects } from "./verify-claimed-objects.ts";
import { withdrawingFrom } from "./withdraw-claim.ts";

/** A person waits for it, and proxies give up on a request after a minute. */
const VERIFY_WITHIN_MS = 30_000;

/**
 * Makes sure that a claimed proof is true before a prune relies on it, and returns the proof that this makes, unsigned. Ends with the
 * signal, when the definition changes or etcd was restored, and after 30 s, without the waits that `onWait` is told of.
 * @throws AppError precondition_failed, with what was found; conflict while this process verifies it for another prune.
 */
export async function verifyClaim(connection: Connection, crd: Crd, proof: Proof, { signal, onWait }: Verifying): Promise<Proof> {
  const verifying = verifyingHere();
  const key = definitionKey(connection, crd.uid);
  if (verifying.has(key)) throw alreadyVerifying();
  verifying.add(key);
  const changed = new AbortController();
  const unsubscribe = onChange(connection, crd, (because) => changed.abort(because));
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), VERIFY_WITHIN_MS);
  const waiting: Verifying["onWait"] =
    onWait &&
    ((because, until) => {
      timer.refresh();
      onWait(because, until);
    });
  const shutdown = new AbortController();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  endAtShutdown({ stop: shutdown, ended });
  const within = AbortSignal.any([signal, changed.signal, shutdown.signal, deadline.signal]);
  const gate = createGate();
  const writes = unconfirmedWrites();
  const finding = withdrawingFrom(connection, crd, proof.runId);
  const refusalOf = (error: unknown): unknown => {
    if (isAppError(error) && error.code === "precondition_failed") return error;
    for (const { aborted, reason } of [signal, changed.signal, shutdown.signal]) if (aborted) return reason;
    if (deadline.signal.aborted) return tooSlow(crd, gate);
    if (!isStopRun(error)) return error;
    return isAppError(error.cause) ? error.cause : doubtfulClaim(withoutPeriod(error.message), rewriteFirst(crd.name));
  };
  try {
    return await verifyClaimedObjects(connection, crd, proof, { gate, writes, finding }, { signal: within, onWait: waiting });
  } catch (error) {
    const unconfirmed = await unconfirmedSentence({ connection, crd, writes, runId: proof.runId, signal });
    const because = refusalOf(error);
    // What a write without an answer may have disproved isn't in what ended the verification.
    const isTold = !isAppError(because) || because.details?.unrecorded === true || !finding.isUnrecorded();
    const refusal = isTold ? because : asUnrecorded(because);
    if (unconfirmed === null) throw refusal;
    if (isAppError(refusal)) throw withWarning(refusal, unconfirmed);
    // Whoever stopped it, as with Ctrl-C, is told nowhere else.
    throw signal.aborted ? stopped(unconfirmed, refusal) : refusal;
  } finally {
    clearTimeout(timer);
    unsubscribe();
    verifying.delete(key);
    end();
  }
}

/** The refusal, with what else to know. */
function withWarning(refusal: AppError, warning: string): AppError {
  const { code, message, nextStep, clusterMessage, details, cause } = refusal;
  return new AppError(code, `${message} ${warning}`, { nextStep, clusterMessage, ...(details && { details }), cause });
}

function stopped(warning: string, cause: unknown): AppError {
  const message = `The verification of the proof was stopped. ${warning}`;
  return new AppError("precondition_failed", message, { nextStep: "Look at the definition, then prune again.", cause });
}

/** The definitions, by definitionKey, whose claims are being verified. */
function verifyingHere(): Set<string> {
  return processWide("verifying-claims", () => new Set());
}

/**
 * Calls back when the watch reports another spec, or that the definition is gone, or that etcd was restored. Returns the function that
 * unsubscribes.
 */
function onChange(connection: Connection, { name, uid, generation }: Crd, callBack: (because: AppError) => void): () => void {
  const lastRestore = noticedRestore(connection);
  return fleetOf(connection).follow(name, (now) => {
    if (restoredSince(connection, lastRestore)) callBack(restoredMeanwhile());
    else if (now?.uid !== uid || now.generation > generation) callBack(changedMeanwhile());
  });
}

function alreadyVerifying(): AppError {
  return new AppError("conflict", "crdshift is already verifying the proof for another prune.", {
    nextStep: `Wait for it to finish; it takes ${formatDuration(VERIFY_WITHIN_MS)} at most.`,
  });
}

function changedMeanwhile(): AppError {
  return new AppError("precondition_failed", "The definition changed while crdshift verified its proof.", {
    nextStep: "Look at what changed, then prune again.",
  });
}

/** Why a proof is not verified whose objects a restore of etcd may have replaced. */
export function restoredMeanwhile(): AppError {
  return new AppError("precondition_failed", "etcd was restored from a backup while crdshift verified the proof.", {
    nextStep: "Check that the definition is what you expect, then prune again.",
  });
}

function tooSlow({ name }: Crd, gate: Gate): AppError {
  const fault = `it couldn't verify all objects within ${formatDuration(VERIFY_WITHIN_MS)}`;
  const cause = gate.cause();
  return doubtfulClaim(cause === null ? fault : `${fault}: ${withoutPeriod(cause)}`, rewriteFirst(name));
}
