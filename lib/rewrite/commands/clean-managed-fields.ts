import { setMaxListeners } from "node:events";
import { forEachConcurrently } from "#lib/async/for-each-concurrently.ts";
import { sleep } from "#lib/async/sleep.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { withOwnEvidence } from "#lib/cluster/definitions/evidence/evidence-signature.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet.ts";
import { forgetCleaned } from "#lib/cluster/fleet/remember-counts.ts";
import { type ObjectMetadata, objectPages } from "#lib/cluster/objects/object-pages.ts";
import { AppError, asksToSignIn } from "#lib/contract/app-error.ts";
import type { Cleaning, CleanManagedFields } from "#lib/contract/objects/managed-fields.ts";
import { contradictionOf } from "#lib/domain/definition/contradiction.ts";
import { type Crd, storageVersion } from "#lib/domain/definition/crd.ts";
import { managedFieldsEntries } from "#lib/domain/objects/managed-fields.ts";
import { isAboveSettlePoint } from "#lib/domain/objects/resource-version.ts";
import { cleanRefusal } from "#lib/domain/removal/removal.ts";
import type { PatchPurpose } from "#lib/domain/rewrite/sent-patches.ts";
import { validProof, validSettlePoint } from "#lib/domain/rewrite/valid-proof.ts";
import { formatCountOf } from "#lib/domain/wording/format-count.ts";
import { admissionOf } from "#lib/rewrite/guards/admission-now.ts";
import { beginCleaning } from "#lib/rewrite/guards/cleanings-here.ts";
import { exposureSentence } from "#lib/rewrite/guards/exposure-sentence.ts";
import { lossRefusal } from "#lib/rewrite/guards/loss-refusal.ts";
import { refuse } from "#lib/rewrite/guards/refuse.ts";
import { createGate } from "#lib/rewrite/pacing/outage-gate.ts";
import { createPacer } from "#lib/rewrite/pacing/pacer.ts";
import { throughGate } from "#lib/rewrite/pacing/through-gate.ts";
import { recordAction } from "#lib/rewrite/record/record-action.ts";
import { definitionChanged, unconfirmedSentence, whileConfirmed } from "#lib/rewrite/run/confirm-definition.ts";
import { type ListedObject, MAX_GONE, STILL_LISTED, stillListed } from "#lib/rewrite/run/object/still-listed.ts";
import { createRejectionGroups } from "#lib/rewrite/run/progress/rejection-groups.ts";
import { isStopRun } from "#lib/rewrite/run/stop-run.ts";
import { notingWrites, type ObjectWrite, unconfirmedWrites } from "#lib/rewrite/run/unconfirmed-writes.ts";
import { type CleanedObject, type CleaningObject, cleanObject } from "./clean-object.ts";

const WORKERS = 12;
const MAX_EXAMPLES = 5;
const SHOW_EVERY_MS = 200;
/** Whoever stopped it waits for the answer. */
const LAST_LOOK_MS = 800;

/**
 * Cleans managedFields: entries for the given versions then name the storage version, object by object, with a test of the
 * resourceVersion: entries that name a removed version break server-side apply (kubernetes#111937). Each write stores the whole object,
 * so objects that would lose fields are left unchanged. Stops with the signal, and when the definition changes; finished objects
 * stay clean, and another call continues with the rest.
 * @throws AppError precondition_failed if the storage version is not served or a run is active; invalid_input for the storage version.
 */
export async function* cleanManagedFields(
  connection: Connection,
  crd: Crd,
  { versions, dryRun = false }: CleanManagedFields,
  signal: AbortSignal,
): AsyncGenerator<Cleaning> {
  const version = storageVersion(crd)?.name ?? "";
  if (versions.includes(version)) {
    throw new AppError("invalid_input", `${version} is the storage version, so its entries need no cleaning.`, {
      nextStep: "Leave it out.",
    });
  }
  const own = withOwnEvidence(connection, crd);
  for (const name of versions) {
    const refusal = cleanRefusal(own, name, Date.now());
    if (refusal) throw refuse(refusal);
  }
  const isTrusted = contradictionOf(crd) === null;
  const allProven = isTrusted && validProof(own) !== null;
  const settleResourceVersion = isTrusted ? (validSettlePoint(own)?.resourceVersion ?? null) : null;
  const isProven = ({ resourceVersion }: ObjectMetadata) => allProven || isAboveSettlePoint(resourceVersion, settleResourceVersion);
  const ending = new AbortController();
  const within = AbortSignal.any([signal, ending.signal]);
  setMaxListeners(0, within);
  const cleaning = { connection, crd, version, versions, dryRun, gate: createGate(), pacer: createPacer(null), signal: within };
  const admission = admissionOf(connection, crd, version, cleaning.gate, within);
  // A proof says what is stored, and not what admission would make of it.
  const mayLose = async (object: ObjectMetadata) => !isProven(object) || (await admission.now()) !== "";
  const writes = unconfirmedWrites();
  const emptied: string[] = [];
  const disowned = { objects: 0, first: "" };
  const stopWatching = stopWhenDefinitionChanges(connection, crd, ending);
  const endCleaning = dryRun ? () => {} : beginCleaning(connection, crd);
  const rejections = createRejectionGroups();
  const gone: ListedObject[] = [];
  const done: Cleaning = {
    ...{ complete: false, dryRun, version, total: null, scanned: 0, cleaned: 0, untouched: 0, gone: 0, rejected: 0 },
    ...{ rejections: [], warning: null, examples: [] },
  };
  const clean = async (object: ObjectMetadata) => {
    const isChecked = await mayLose(object);
    const refusal = isChecked ? await lossRefusal({ ...cleaning, keepOwnership: true }, object) : null;
    const cleanIt = ({ sent }: ObjectWrite) => {
      const onPatch = (purpose: PatchPurpose) => void (purpose !== "dryRun" && sent());
      return cleanObject({ ...cleaning, onPatch }, object, (lost) => void emptied.push(fullName(lost)));
    };
    const send = () => notingWrites(writes, cleanIt, isUnchanged);
    const answer = refusal ?? (await (isChecked || dryRun ? send() : admission.unchecked(send)));
    done[answer.kind] += 1;
    if (answer.kind === "gone" && gone.length < MAX_GONE) gone.push(object);
    if (answer.kind === "rejected") rejections.add(object, answer);
    if (answer.kind === "cleaned") {
      const { before, after } = answer.value;
      const example = {
        object: { namespace: object.namespace, name: object.name },
        before: managedFieldsEntries(before),
        after: managedFieldsEntries(after),
      };
      if (done.examples.length < MAX_EXAMPLES) done.examples.push(example);
      if (answer.disowned.length > 0) disowned.objects += 1;
      disowned.first ||= answer.disowned.length > 0 ? `${answer.disowned.slice(0, MAX_EXAMPLES).join(", ")} of ${fullName(object)}` : "";
    }
  };
  const work = whileConfirmed({ ...cleaning, writes }, async (confirmed) => {
    confirmed.addEventListener("abort", () => ending.abort(confirmed.reason), { once: true });
    const options = { concurrency: WORKERS, signal: within, onFailure: (error: unknown) => ending.abort(error) };
    await forEachConcurrently(objectsToClean(cleaning, done), options, clean);
    for (const object of gone.filter(await stillListed(cleaning, gone))) {
      done.gone -= 1;
      done.rejected += 1;
      rejections.add(object, STILL_LISTED);
    }
    await admission.close();
  });
  const ended = work.then(
    () => ({ error: null }),
    (error: unknown) => ({ error }),
  );
  // Not with the reader, who may stop reading for long after the last object.
  void ended.then(endCleaning);
  const shown = (complete: boolean): Cleaning => ({ ...done, complete, rejections: rejections.list(), examples: [...done.examples] });
  let isComplete = false;
  let told: Promise<string> | null = null;
  const consequences = () => {
    told ??= Promise.all([unconfirmedSentence({ ...cleaning, writes }), admission.lastLook(AbortSignal.timeout(LAST_LOOK_MS))]).then(
      ([unconfirmed]) =>
        [emptiedOf(emptied), disownedOf(disowned), unconfirmed, exposureSentence(admission.exposed())].filter(Boolean).join(" "),
    );
    return told;
  };
  try {
    for (;;) {
      const end = await Promise.race([
        ended,
        sleep(SHOW_EVERY_MS, within).then(
          () => null,
          () => ended,
        ),
      ]);
      if (end?.error) throw whyEnded(end.error, await consequences());
      isComplete = end !== null;
      if (isComplete) done.warning = (await consequences()) || null;
      yield shown(isComplete);
      if (isComplete) return;
    }
  } finally {
    // If the reader leaves early, nothing more is sent.
    ending.abort(new Error("the reader left"));
    stopWatching();
    await ended;
    const isNoneLeft = isComplete && done.rejected === 0 && (!dryRun || done.cleaned === 0);
    if (isNoneLeft) forgetCleaned(connection, crd, versions);
    else if (!dryRun && done.cleaned > 0) forgetCleaned(connection, crd, null);
    if (!dryRun && (done.cleaned > 0 || emptied.length > 0)) {
      const cleaned = `managedFields of ${formatCountOf(done.cleaned, "object")} were cleaned of ${versions.join(", ")}.`;
      const message = [cleaned, await consequences()].filter(Boolean).join(" ");
      recordAction(connection, crd.name, { kind: "cleaned", at: new Date().toISOString(), run: null, message });
    }
  }
}

// A rejected object's managedFields may have been emptied and put back.
function isUnchanged(answer: CleanedObject): boolean {
  return answer.kind !== "cleaned" && !(answer.kind === "rejected" && answer.reason === "OwnershipLost");
}

/** Aborts as soon as the watch reports a changed definition. Returns a function that unsubscribes. */
function stopWhenDefinitionChanges(connection: Connection, crd: Crd, stop: AbortController): () => void {
  return fleetOf(connection).subscribe((event) => {
    if (event.event !== "crd" || event.data.item.name !== crd.name) return;
    const { type, item } = event.data;
    if (type === "deleted") stop.abort(definitionChanged("it was deleted"));
    else if (item.uid !== crd.uid || item.generation > crd.generation) stop.abort(definitionChanged("its spec changed"));
  });
}

/** The error for the reader; a token that the cluster rejects stays a sign-in error. */
function whyEnded(error: unknown, consequences: string): unknown {
  if (!isStopRun(error)) return error;
  if (asksToSignIn(error.cause)) return error.cause;
  return new AppError("precondition_failed", [error.message, consequences].filter(Boolean).join(" "), {
    nextStep: "Objects already cleaned stay clean. Clean again once the problem is resolved.",
  });
}

function emptiedOf(emptied: readonly string[]): string | null {
  if (emptied.length === 0) return null;
  const more = emptied.length > MAX_EXAMPLES ? ` and ${emptied.length - MAX_EXAMPLES} more` : "";
  return `The API server emptied the managedFields of ${emptied.slice(0, MAX_EXAMPLES).join(", ")}${more}, and they aren't put back.`;
}

// Told only for removed versions; entries of others stay as they are.
function disownedOf({ objects, first }: { objects: number; first: string }): string | null {
  if (objects === 0) return null;
  const of = `In ${formatCountOf(objects, "object")}, managers of the removed version no longer own some fields`;
  return `${of}, such as ${first}: the storage version's schema has a different list type, map keys, or map type there.`;
}

function fullName({ namespace, name }: ObjectMetadata): string {
  return namespace ? `${namespace}/${name}` : name;
}

async function* objectsToClean(
  { connection, crd, version, versions, gate, signal }: CleaningObject,
  done: Cleaning,
): AsyncGenerator<ObjectMetadata> {
  const attempt = <T>(request: () => Promise<T>, options: { patient: boolean }) => throughGate(gate, signal, request, options);
  for await (const page of objectPages(connection, crd, { version, signal, attempt })) {
    if (page.restarted) Object.assign(done, { scanned: 0, untouched: 0 });
    done.total = page.total ?? done.total;
    for (const object of page.objects) {
      done.scanned += 1;
      if (object.writes.some((write) => versions.includes(write.version))) yield object;
      else done.untouched += 1;
    }
  }
}
