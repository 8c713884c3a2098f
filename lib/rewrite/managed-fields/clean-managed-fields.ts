import { setMaxListeners } from "node:events";
import { sleep } from "#lib/async/sleep.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { noticedRestore, restoredSince } from "#lib/cluster/definitions/evidence/evidence-before-restore.ts";
import { withOwnEvidence } from "#lib/cluster/definitions/evidence/evidence-signature.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { forgetUnnamed, noteCleaning } from "#lib/cluster/fleet/remember-counts.ts";
import { AppError, asksToSignIn, isAppError } from "#lib/contract/app-error.ts";
import type { Cleaning, CleanManagedFields } from "#lib/contract/objects/managed-fields.ts";
import { type Crd, storageVersion } from "#lib/domain/definition/crd.ts";
import type { RestoredEtcd } from "#lib/domain/definition/restored-etcd.ts";
import { compareResourceVersions, isAboveSettlePoint } from "#lib/domain/objects/resource-version.ts";
import { latestRun } from "#lib/domain/record/rewrite-record.ts";
import { validProof, validSettlePoint } from "#lib/domain/record/valid-evidence.ts";
import { cleanRefusals } from "#lib/domain/removal/clean-refusal.ts";
import { isLive } from "#lib/domain/rewrite/run.ts";
import { formatCountOf } from "#lib/domain/wording/format-count.ts";
import { admissionOf } from "#lib/rewrite/guards/admission-watch.ts";
import { refuse } from "#lib/rewrite/guards/refuse.ts";
import { refuseOthersObjects } from "#lib/rewrite/guards/require-own-objects.ts";
import { createGate } from "#lib/rewrite/pacing/outage-gate.ts";
import { createPacer } from "#lib/rewrite/pacing/pacer.ts";
import { recordAction } from "#lib/rewrite/record/record-action.ts";
import { definitionChanged } from "#lib/rewrite/run/confirm-definition.ts";
import { outlasting } from "#lib/rewrite/run/outlasting.ts";
import { isStopRun, StopRun } from "#lib/rewrite/run/stop-run.ts";
import { unconfirmedWrites } from "#lib/rewrite/run/unconfirmed-writes.ts";
import { endAtShutdown } from "#lib/rewrite/run/work-beside-runs.ts";
import { type CleaningWork, cleanObjects, consequencesOf } from "./clean-objects.ts";
import { createCleaningTally } from "./cleaning-tally.ts";
import { cleanersRights, cleaningHere, takePlace } from "./cleanings-here.ts";

const SHOW_EVERY_MS = 200;

/**
 * Cleans managedFields: entries for the given versions then name the storage version, object by object, with a test of the
 * resourceVersion: entries that name a removed version break server-side apply (kubernetes#111937). Each write stores the whole object,
 * so objects that would lose fields are left unchanged. Stops with the signal, and when the definition changes; finished objects
 * stay clean, and another call continues with the rest. `onBegin` is called once nothing refuses it.
 * @throws AppError precondition_failed if the storage version is not served or a run is active; invalid_input for the storage version;
 * too_many_requests as takePlace; conflict while this process cleans them for somebody who may change as much.
 */
export async function* cleanManagedFields(
  connection: Connection,
  crd: Crd,
  given: CleanManagedFields,
  signal: AbortSignal,
  onBegin = () => {},
): AsyncGenerator<Cleaning> {
  const lastRestore = noticedRestore(connection);
  const own = withOwnEvidence(connection, crd);
  refuseToClean(own, given.versions);
  await refuseOthersObjects(connection, crd, signal);
  const ending = new AbortController();
  const rights = await cleanersRights(connection, crd, signal);
  const here = cleaningHere(connection, crd, { rights, ending });
  if (!given.dryRun) here.refuseBeside();
  const leave = takePlace({ person: connection.person(), dryRun: given.dryRun ?? false, objects: rights.objects });
  onBegin();
  const work = beginWork(connection, crd, given, { own, here, rights, ending, signal });
  const { tally, cleaning } = work;
  const { version, dryRun } = cleaning;
  const stopWatching = stopWhenDefinitionChanges(connection, { crd: own, lastRestore }, ending);
  const ended = cleanObjects(work).then(
    () => ({ error: null }),
    (error: unknown) => ({ error }),
  );
  let told: Promise<string> | null = null;
  const consequences = () => {
    told ??= consequencesOf(work);
    return told;
  };
  // Not with the reader, who may stop reading for long after the last object.
  const concluded = ended.then(async ({ error }) => {
    leave();
    work.here.end();
    forgetCounts(work, error === null);
    if (!dryRun) recordCleaning(work, await consequences());
  });
  endAtShutdown({ stop: ending, ended: concluded });
  let isComplete = false;
  try {
    while (!isComplete) {
      const end = await endWithin(ended, cleaning.signal);
      if (end?.error) throw whyEnded(end.error, await consequences());
      isComplete = end !== null;
      const warning = (isComplete && (await consequences())) || null;
      yield { complete: isComplete, dryRun, version, warning, ...tally.current() };
    }
  } finally {
    // If the reader leaves early, nothing more is sent.
    ending.abort(new Error("the reader left"));
    stopWatching();
    await concluded;
  }
}

function refuseToClean(own: Crd, versions: readonly string[]): void {
  const version = storageVersion(own)?.name ?? "";
  if (versions.includes(version)) {
    throw new AppError("invalid_input", `${version} is the storage version, so its entries need no cleaning.`, {
      nextStep: "Leave it out.",
    });
  }
  const refusalOf = cleanRefusals(own, Date.now());
  for (const name of versions) {
    const refusal = refusalOf(name);
    if (refusal) throw refuse(refusal);
  }
}

function beginWork(
  connection: Connection,
  crd: Crd,
  { versions, dryRun = false }: CleanManagedFields,
  { own, here, rights, ending, signal }: Pick<CleaningWork, "here" | "rights" | "ending"> & { own: Crd; signal: AbortSignal },
): CleaningWork {
  const version = storageVersion(crd)?.name ?? "";
  const allProven = validProof(own) !== null;
  const settleResourceVersion = validSettlePoint(own)?.resourceVersion ?? null;
  const within = AbortSignal.any([signal, ending.signal]);
  setMaxListeners(0, within);
  const gate = createGate();
  return {
    cleaning: { connection, crd, version, versions, dryRun, gate, pacer: createPacer(null), signal: within, lasting: outlasting(within) },
    ...{ ending, here, rights },
    isProven: ({ resourceVersion }) => allProven || isAboveSettlePoint(resourceVersion, settleResourceVersion),
    admission: admissionOf(connection, crd, version, gate, within),
    writes: unconfirmedWrites(),
    tally: createCleaningTally({ dryRun }),
  };
}

/**
 * Aborts as soon as the watch reports a changed definition, a rewrite, or that what was proven of its objects, on which the work relies, no
 * longer holds; at once if it has since `crd` was read, which has only this installation's evidence. Returns a function that unsubscribes.
 */
function stopWhenDefinitionChanges(
  connection: Connection,
  { crd, lastRestore }: { crd: Crd; lastRestore: RestoredEtcd | null },
  stop: AbortController,
): () => void {
  const [isProven, settledAt] = [validProof(crd) !== null, validSettlePoint(crd)?.resourceVersion];
  const stillHolds = (now: Crd) => {
    const own = withOwnEvidence(connection, now);
    return isProven ? validProof(own) !== null : settledAt === undefined || validSettlePoint(own)?.resourceVersion === settledAt;
  };
  const isOlder = (now: Crd) => compareResourceVersions(now.resourceVersion, crd.resourceVersion) < 0;
  const check = (now: Crd | null) => {
    if (now === null) stop.abort(definitionChanged("it was deleted"));
    else if (now.uid !== crd.uid || now.generation > crd.generation) stop.abort(definitionChanged("its spec changed"));
    // What was proven of its objects isn't true any more.
    else if (isOlder(now)) stop.abort(definitionChanged("etcd was restored from a backup"));
    // Not as failed: what it has taken from owners it still gives back (outlasting).
    else if (isBeingRewritten(now)) stop.abort(new StopRun("cancelled", "A rewrite of its objects began meanwhile."));
    else if (!stillHolds(now)) stop.abort(definitionChanged("what was proven of its objects no longer holds"));
  };
  const fleet = fleetOf(connection);
  const unsubscribe = fleet.follow(crd.name, check);
  const seen = fleet.lastSeen(crd.name);
  // Without a restore, the watch is only behind whoever read it.
  if (seen && (!isOlder(seen) || restoredSince(connection, lastRestore))) check(seen);
  return unsubscribe;
}

// Each would take the other's managedFields entries for left ones.
function isBeingRewritten(now: Crd): boolean {
  const run = latestRun(now, Date.now());
  return run !== null && isLive(run);
}

/** How it ended, or null once it is time to show how far it is. */
function endWithin<End>(ended: Promise<End>, signal: AbortSignal): Promise<End | null> {
  const isDue = sleep(SHOW_EVERY_MS, signal).then(
    () => null,
    () => ended,
  );
  return Promise.race([ended, isDue]);
}

/** The error for the reader; a token that the cluster rejects stays a sign-in error. */
function whyEnded(error: unknown, consequences: string): unknown {
  if (!isStopRun(error)) return error;
  const { cause } = error;
  if (isAppError(cause) && asksToSignIn(cause)) {
    const { code, message, nextStep, clusterMessage, details } = cause;
    return new AppError(code, [message, consequences].filter(Boolean).join(" "), {
      nextStep,
      clusterMessage,
      ...(details && { details }),
      cause,
    });
  }
  return new AppError("precondition_failed", [error.message, consequences].filter(Boolean).join(" "), {
    nextStep: "Objects already cleaned stay clean. Clean again once the problem is resolved.",
  });
}

function forgetCounts({ cleaning: { connection, crd, versions, dryRun }, tally }: CleaningWork, isComplete: boolean): void {
  const { cleaned, rejected } = tally.current();
  const isNoneLeft = isComplete && rejected === 0 && (!dryRun || cleaned === 0);
  if (!dryRun && cleaned > 0) noteCleaning(connection, crd, isNoneLeft ? versions : null);
  else if (isNoneLeft) forgetUnnamed(connection, crd, versions);
}

/** In an Event and in the log. A reader who has left, or has to sign in, is told nowhere else. */
function recordCleaning({ cleaning: { connection, crd, versions }, tally }: CleaningWork, consequences: string): void {
  const { cleaned, takenBack } = tally.current();
  const unknown = tally.unknown();
  if (cleaned === 0 && takenBack === 0 && unknown === 0 && consequences === "") return;
  const atLeast = unknown > 0 ? "at least " : "";
  const sentence = `Cleaned the entries of ${versions.join(", ")} in managedFields of ${atLeast}${formatCountOf(cleaned, "object")}.`;
  const more =
    unknown > 0 ? `Cleaning ended before ${formatCountOf(unknown, "more write")} ${unknown === 1 ? "was" : "were"} answered.` : null;
  const own = takenBack > 0 ? `crdshift's own entry was removed from ${formatCountOf(takenBack, "other object")}.` : null;
  const message = [sentence, own, more, consequences].filter(Boolean).join(" ");
  recordAction(connection, crd.name, { kind: "cleaned", at: new Date().toISOString(), run: null, message }, crd.uid);
}
