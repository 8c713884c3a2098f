import { forEachInRoom } from "#lib/async/for-each-in-room.ts";
import { onceForEach } from "#lib/async/once-for-each.ts";
import { bytesEach, type ObjectMetadata, objectPages } from "#lib/cluster/objects/object-pages.ts";
import { mayI } from "#lib/cluster/rights/read-rights.ts";
import { otherServedVersions } from "#lib/domain/definition/stored-versions.ts";
import { hasOwn } from "#lib/domain/objects/own-entries.ts";
import { formatCount, formatCountOf } from "#lib/domain/wording/format-count.ts";
import type { AdmissionWatch } from "#lib/rewrite/guards/admission-watch.ts";
import { checkBeforeWrite } from "#lib/rewrite/guards/check-before-write.ts";
import { exposureSentence } from "#lib/rewrite/guards/exposure-sentence.ts";
import { lossRefusal } from "#lib/rewrite/guards/loss-refusal.ts";
import { throughGate } from "#lib/rewrite/pacing/through-gate.ts";
import { unconfirmedSentence, whileConfirmed } from "#lib/rewrite/run/confirm-definition.ts";
import type { ObjectRejection } from "#lib/rewrite/run/object/request/object-answer.ts";
import { notingSent, notingWrites, type ObjectWrite, type UnconfirmedWrites } from "#lib/rewrite/run/unconfirmed-writes.ts";
import { type CleanedObject, type CleaningObject, cleanObject } from "./clean-object.ts";
import type { CleaningTally } from "./cleaning-tally.ts";
import type { CleanersRights, CleaningHere } from "./cleanings-here.ts";

/** A cleaning at work. */
export interface CleaningWork {
  cleaning: CleaningObject;
  /** Ends it, as does the signal of `cleaning`. */
  ending: AbortController;
  /** Whether the object is proven to be stored at the storage version. */
  isProven(object: ObjectMetadata): boolean;
  admission: AdmissionWatch;
  here: CleaningHere;
  rights: CleanersRights;
  writes: UnconfirmedWrites;
  tally: CleaningTally;
}

const WORKERS = 12;
/** From then on, a namespace's objects are left alone if their patches would be denied: that would take as long, and keep the place from others. */
const MOST_DENIED = 50;
const DENIED: ObjectRejection = {
  kind: "rejected",
  reason: "Forbidden",
  message: "Patches of fifty objects were denied, and you can't patch all objects of its namespace. The object was left unchanged.",
};
/** Of the objects at work, in bytes of the pages that listed them: each is there several times, parsed. */
const MOST_AT_WORK = 2 * 1024 * 1024;

/**
 * Cleans all objects while the definition is known to be unchanged. The first error ends it for all.
 * @throws StopRun if it can't continue, and the signal's reason.
 */
export function cleanObjects(work: CleaningWork): Promise<void> {
  const { cleaning, ending, admission, rights, writes, tally } = work;
  let denied = 0;
  const mayPatchIn = onceForEach(
    (namespace: string) => namespace,
    (namespace) => cleanersMayPatch(cleaning, namespace),
  );
  return whileConfirmed({ ...cleaning, writes }, async (confirmed) => {
    confirmed.addEventListener("abort", () => ending.abort(confirmed.reason), { once: true });
    const onFailure = (error: unknown) => ending.abort(error);
    const options = { concurrency: WORKERS, mostBytes: MOST_AT_WORK, signal: cleaning.signal, onFailure };
    await forEachInRoom(objectsToClean(work), options, async ({ object }) => {
      const count = tally.counting();
      const isTried = rights.objects || denied < MOST_DENIED || (await mayPatchIn(object.namespace));
      const end = isTried ? await cleanOne(work, object) : DENIED;
      count(object, end);
      if (end.kind === "rejected" && end.reason === "Forbidden") denied += 1;
    });
    await tally.missing().settle(cleaning, (object, end) => {
      if (end.kind === "rejected") tally.rejectMissing(object, end);
    });
    await admission.close();
  });
}

/** If the cluster can't say, the patches themselves tell. */
function cleanersMayPatch({ connection, crd, signal }: CleaningObject, namespace: string): Promise<boolean> {
  const right = { verb: "patch", group: crd.group, resource: crd.plural, ...(namespace && { namespace }) } as const;
  return mayI(connection, right, signal).then(
    ({ allowed }) => allowed,
    () => true,
  );
}

async function* objectsToClean({ cleaning, tally }: CleaningWork): AsyncGenerator<{ object: ObjectMetadata; bytes: number }> {
  const { connection, crd, version, versions, gate, signal } = cleaning;
  const attempt = <T>(request: () => Promise<T>, options: { patient: boolean }) => throughGate(gate, signal, request, options);
  const otherVersions = otherServedVersions(crd, version);
  for await (const page of objectPages(connection, crd, { version, otherVersions, signal, attempt })) {
    if (page.restarted) tally.begin();
    if (page.total !== null) tally.expect(page.total);
    const bytes = bytesEach(page);
    for (const object of page.objects) {
      const isDone = !object.writes.some((write) => versions.includes(write.version)) && !hasOwn(object.managedFields);
      tally.listed(isDone);
      if (!isDone) yield { object, bytes };
    }
  }
}

async function cleanOne(
  { cleaning, isProven, admission, here, writes, tally }: CleaningWork,
  object: ObjectMetadata,
): Promise<CleanedObject> {
  const mayHide = (resourceVersion: string) => !isProven({ ...object, resourceVersion });
  // A proof says what is stored, and not what admission would make of it.
  const mustCheck = async () => !isProven(object) || (await admission.now()) !== "";
  const check = checkBeforeWrite(object, mustCheck, ({ onRise }) =>
    lossRefusal({ ...cleaning, admission, keepOwnership: true, mayHide, onRise }, object),
  );
  const attempt = <Done>(work: () => Promise<Done>) => (check.isMade() || cleaning.dryRun ? work() : admission.unchecked(work));
  const clean = async ({ sent }: ObjectWrite) => {
    let isSent = false;
    const onPatch = notingSent({
      sent() {
        here.begin();
        // What gives back what the first write has taken is sent all the same (outlasting).
        if (!isSent) cleaning.signal.throwIfAborted();
        isSent = true;
        sent();
      },
    });
    return cleanObject({ ...cleaning, isCurrent: isProven(object), onPatch, look: check.look, attempt }, object, tally.emptied).catch(
      (error: unknown) => {
        if (isSent) tally.countUnknown();
        throw error;
      },
    );
  };
  const end = await notingWrites(writes, clean, isUnchanged);
  if (mayBeStored(end)) tally.countUnknown();
  if (cleaning.dryRun || !isWritten(end) || !end.value.raised) return end;
  // Proven objects have their defaults.
  if (!check.isMade()) admission.raised(0);
  else check.requireForetold();
  return end;
}

// One that crdshift itself rejected after it had sent a write for it: its managedFields may have been emptied and put back.
function isUnchanged(end: CleanedObject): boolean {
  const byCrdshift = end.kind === "rejected" && (end.reason === "OwnershipLost" || end.reason === "OtherFields");
  return !isWritten(end) && !byCrdshift && !mayBeStored(end);
}

function mayBeStored(end: CleanedObject): boolean {
  return end.kind === "rejected" && end.mayBeStored === true;
}

function isWritten(end: CleanedObject): end is Extract<CleanedObject, { kind: "cleaned" | "takenBack" }> {
  return end.kind === "cleaned" || end.kind === "takenBack";
}

/** What to say of a cleaning's writes beyond their number, once it has ended; empty if nothing. */
export async function consequencesOf({ cleaning, admission, writes, tally }: CleaningWork): Promise<string> {
  const { emptied, disowned } = tally.losses();
  const [unconfirmed] = await Promise.all([unconfirmedSentence({ ...cleaning, writes }), admission.lastLook()]);
  const left = ownLeftWords(tally.ownLeft());
  return [emptiedWords(emptied), disownedWords(disowned), left, unconfirmed, exposureSentence(admission)].filter(Boolean).join(" ");
}

function emptiedWords({ objects, first }: ReturnType<CleaningTally["losses"]>["emptied"]): string | null {
  if (objects === 0) return null;
  const more = objects > first.length ? ` and ${formatCount(objects - first.length)} more` : "";
  return `The API server emptied the managedFields of ${first.join(", ")}${more}, and they aren't put back.`;
}

// Told only for removed versions; entries of others stay as they are.
function ownLeftWords(objects: number): string | null {
  if (objects === 0) return null;
  return (
    `${formatCountOf(objects, "object")} still ${objects === 1 ? "names" : "name"} crdshift in managedFields, as the owner of defaults that it ` +
    "stored: a webhook or policy would take something else with that entry."
  );
}

function disownedWords({ objects, first }: ReturnType<CleaningTally["losses"]>["disowned"]): string | null {
  if (objects === 0) return null;
  const of = `In ${formatCountOf(objects, "object")}, managers of the removed version no longer own some fields`;
  return `${of}, such as ${first}: the storage version's schema has a different list type, map keys, or map type there.`;
}
