import { sleep } from "#lib/async/sleep.ts";
import { readObjectText } from "#lib/cluster/objects/custom-objects.ts";
import type { ObjectMetadata } from "#lib/cluster/objects/object-pages.ts";
import { inLongAnswersTurn } from "#lib/cluster/transport/long-answers.ts";
import { parseObject } from "#lib/domain/exact-json/exact-json.ts";
import { hasMerged, managedFieldsEntries, mayCarryOver } from "#lib/domain/objects/managed-fields.ts";
import { hasOwn, withoutOwn } from "#lib/domain/objects/own-entries.ts";
import { unlikeFields } from "#lib/domain/objects/unlike-fields.ts";
import { firstOf } from "#lib/domain/wording/first-of.ts";
import { changedAgainstCheck } from "#lib/rewrite/guards/check-before-write.ts";
import { lostIfRelabeled, relabeled } from "#lib/rewrite/run/object/ownership/lost-if-relabeled.ts";
import { restoreOwnership } from "#lib/rewrite/run/object/ownership/restore-ownership.ts";
import { type Look, lookAfter } from "#lib/rewrite/run/object/request/look-after.ts";
import type { ObjectRejection } from "#lib/rewrite/run/object/request/object-answer.ts";
import { requestForObject } from "#lib/rewrite/run/object/request/request-for-object.ts";
import type { Sending } from "#lib/rewrite/run/object/request/send-aside.ts";
import { type Attempts, noAttempts } from "#lib/rewrite/run/object/write/note-lost-answer.ts";
import { changeManagedFields, type ManagedFieldsChange } from "./change-managed-fields.ts";
import { lostByChange, lostByChangeWords } from "./lost-by-change.ts";

export interface CleaningObject extends Sending {
  /** The storage version. */
  version: string;
  versions: readonly string[];
  dryRun: boolean;
  /** As for changeManagedFields. */
  isCurrent?: boolean;
  /** For what has to follow an answered write; outlasts `signal`. */
  lasting: AbortSignal;
  /** Comes right before an object's dry run and write. */
  look?: Look | undefined;
  /** Does both; by default as they are. */
  attempt?: <Done>(work: () => Promise<Done>) => Promise<Done>;
}

/** `disowned`: fields that entries of a removed version owned, and that they don't own at the storage version, as paths. */
interface Cleaned {
  kind: "cleaned";
  value: ManagedFieldsChange;
  disowned: string[];
}

/** Of an object that no entry named such a version of, crdshift's own entry was removed. */
interface TakenBack {
  kind: "takenBack";
  value: ManagedFieldsChange;
}

/** `untouched`: by the time it was read, it had no such entry any more. */
export type CleanedObject = Cleaned | TakenBack | { kind: "gone" } | { kind: "untouched" } | ObjectRejection;

/** For how long an object waits for crdshift's entry to go again that another work of crdshift has just left there. */
const WAIT = { times: 10, ms: 500 };
/** Paths in a rejection's message. */
const MAX_NAMED = 3;
const WOULD_MERGE: ObjectRejection = {
  kind: "rejected",
  reason: "OwnershipLost",
  message:
    "Moving its managedFields entries would also store new defaults, and so add an entry for crdshift to the ten that the API server keeps " +
    "of such writers: it would merge the two oldest. The object was left unchanged. Rewrite it first, then clean again.",
};
const UNDER_WAY: ObjectRejection = {
  kind: "rejected",
  reason: "Conflict",
  message:
    "Another cleaning or rewrite, perhaps of another crdshift, was writing it, and cleaning it now could take fields from their owners. The " +
    "object was left unchanged. Clean again once that has ended.",
  mayBeTemporary: true,
};
const UNCLEANABLE: ObjectRejection = {
  kind: "rejected",
  reason: "OwnershipLost",
  message:
    "Its managedFields entries can't be moved: its values don't fit the storage version's schema, so the API server would empty or keep its " +
    "managedFields. The object was left unchanged. Change the values or the schema, then clean again.",
};

/**
 * Moves an object's entries for the given versions to the storage version. A dry run comes first, because the API server may empty
 * managedFields instead of taking them. If it empties them in the write all the same, they are put back.
 * @throws StopRun if the cleaning can't continue; `onEmptied` has then been called for an object that could not be put back.
 */
export async function cleanObject(
  cleaning: CleaningObject,
  object: ObjectMetadata,
  onEmptied: (object: ObjectMetadata) => void,
): Promise<CleanedObject> {
  const attempts = noAttempts(cleaning.lasting);
  const stored = ({ kind }: Tried) => kind === "cleaned" || kind === "takenBack" || kind === "emptied";
  const effect = cleaning.dryRun ? "tries" : { stored };
  const { attempt = (work) => work() } = cleaning;
  const answer = await requestForObject(cleaning, object, () => attempt(() => tryThenClean(cleaning, object, attempts)), {
    ...{ effect, look: cleaning.look && lookAfter(attempts, cleaning.look) },
  });
  if (answer.kind !== "answered") return answer;
  const tried = answer.value;
  if (tried.kind !== "emptied") return tried;
  const restored = await restoreOwnership(cleaning, { ...object, managedFields: tried.before }).catch((error: unknown) => {
    onEmptied(object);
    throw error;
  });
  if (typeof restored === "object" && restored.kind === "gone") return restored;
  if (restored !== "kept" && restored !== "lost") onEmptied(object);
  return { kind: "rejected", reason: "OwnershipLost", message: emptiedMessage(restored) };
}

function emptiedMessage(restored: "kept" | "lost" | "emptied" | ObjectRejection): string {
  const putBack = "The API server emptied its managedFields although a dry run kept them, and crdshift put them back";
  if (restored === "kept") return `${putBack}. Clean again.`;
  if (restored === "lost") return `${putBack}, but they own fewer fields now.`;
  const because = restored === "emptied" ? "the API server empties them again." : restored.message;
  return `Cleaning emptied its managedFields, and they can't be put back: ${because}`;
}

type Tried = CleanedObject | { kind: "emptied"; before: ObjectMetadata["managedFields"] };

async function tryThenClean(cleaning: CleaningObject, object: ObjectMetadata, attempts: Attempts): Promise<Tried> {
  const { connection, crd, version, versions, gate, isCurrent = false, signal, lasting, onPatch } = cleaning;
  const options = {
    ...{ connection, crd, version, gate, isCurrent, signal, lasting, attempts, ...(onPatch && { onPatch }) },
  };
  const isOld = (named: string) => versions.includes(named);
  const namesOld = (entries: ObjectMetadata["managedFields"]) => managedFieldsEntries(entries).some((entry) => isOld(entry.version));
  const isKnown = (named: string) => crd.versions.some(({ name }) => name === named);
  const lostBy = (entries: ObjectMetadata["managedFields"], known: boolean) =>
    lostIfRelabeled(cleaning, entries, (named) => isOld(named) && isKnown(named) === known);
  let disowned: string[] = [];
  // An entry of crdshift's that wasn't listed: whoever left it gives back what it has taken from others with their next write.
  const isUnderWay = (all: ObjectMetadata["managedFields"]) => hasOwn(all) && !hasOwn(object.managedFields) && !attempts.unanswered;
  // Asked for the write, too: such an entry may have come since the dry run.
  const changeNow = (dryRun: boolean) =>
    changeManagedFields<ObjectRejection>({ ...options, dryRun }, object, async (all) => {
      if (isUnderWay(all)) return UNDER_WAY;
      const entries = withoutOwn(all);
      const lost = await lostBy(entries, true);
      if (lost.length > 0) return otherSchemaRejection(cleaning, lost);
      const unlike = await unlikeAtStorage(cleaning, object, entries);
      if (unlike.length > 0) return unlikeFieldsRejection(cleaning, unlike);
      // Apply works again only once they name another version, whatever they own there.
      disowned = await lostBy(entries, false);
      return relabeled(cleaning, entries, isOld);
    });
  const change = async (dryRun: boolean) => {
    for (let waited = 0; ; waited += 1) {
      const done = await changeNow(dryRun);
      if (done !== UNDER_WAY || waited >= WAIT.times) return done;
      await sleep(WAIT.ms, signal);
    }
  };
  const tried = await change(true);
  if ("kind" in tried) return tried;
  // A write that was stopped, or whose answer was lost, may have left an entry of crdshift's, for the defaults that it stored.
  const hasNone = ({ before }: ManagedFieldsChange) => !namesOld(before) && !hasOwn(before);
  if (hasNone(tried)) return moved(tried);
  // With nobody's entry but crdshift's, it has none afterwards.
  const isEmptied = ({ sent, rewritten }: ManagedFieldsChange) => sent.length > 0 && !rewritten.owned;
  if (isEmptied(tried) || namesOld(tried.rewritten.managedFields)) return UNCLEANABLE;
  if (hasMerged(tried.sent, tried.rewritten.managedFields)) return WOULD_MERGE;
  const loss = await lostByChange({ ...options, pacer: cleaning.pacer }, object, tried);
  if (loss) return { kind: "rejected", reason: "WouldLose", message: lostByChangeWords(loss) };
  if (cleaning.dryRun) return ended(tried);
  const done = await change(false);
  if ("kind" in done) return done;
  // A raised generation makes the watch over admission check the other objects (clean-objects.ts); nothing else shows a change of metadata.
  if (done.altered && !done.raised && !tried.altered) throw changedAgainstCheck(object);
  if (hasNone(done)) return moved(done);
  if (isEmptied(done)) return { kind: "emptied", before: done.before };
  return namesOld(done.rewritten.managedFields) ? UNCLEANABLE : ended(done);

  function ended(value: ManagedFieldsChange): Tried | Promise<Tried> {
    if (namesOld(value.before)) return { kind: "cleaned", value, disowned };
    // An earlier try may have moved its entries.
    return attempts.unanswered && namesOld(object.managedFields) ? moved(value) : { kind: "takenBack", value };
  }

  /** An object that had no such entry left when it was read: because of a write whose answer was lost, or of someone else's. */
  async function moved(value: ManagedFieldsChange): Promise<Tried> {
    if (!attempts.unanswered) return { kind: "untouched" };
    const managers = new Set(managedFieldsEntries(withoutOwn(object.managedFields)).map(({ manager }) => manager));
    const isKept = managedFieldsEntries(value.before).some(({ manager }) => managers.has(manager));
    if (!isKept && managers.size > 0) return { kind: "emptied", before: object.managedFields };
    if (!namesOld(object.managedFields)) return { kind: "takenBack", value };
    return { kind: "cleaned", value, disowned: await lostBy(object.managedFields, false) };
  }
}

/**
 * Fields that entries to be moved name, and that the conversion webhook stores otherwise at the storage version: relabeled, such an entry
 * owns nothing, and the next apply of anyone takes the field. The write's test of the resourceVersion fails if the object has changed
 * since the entries were read.
 */
async function unlikeAtStorage(
  { connection, crd, version, versions, gate, signal }: CleaningObject,
  object: ObjectMetadata,
  entries: ObjectMetadata["managedFields"],
): Promise<string[]> {
  const isConverted = (name: string) => crd.versions.some((known) => known.name === name) && !mayCarryOver(crd, name);
  const isNamed = (name: string) => managedFieldsEntries([...entries]).some((entry) => entry.version === name);
  const converted = versions.filter((name) => isConverted(name) && isNamed(name));
  if (converted.length === 0) return [];
  const readAt = async (name: string) => {
    await gate.whenReleased(signal);
    return readObjectText(connection, crd, name, object, { signal });
  };
  // Kept as text while others are asked for: parsed, a large one takes up to twenty times its bytes.
  const current = await readAt(version);
  const paths = new Set<string>();
  for (const name of converted) {
    const old = await readAt(name);
    const ofVersion = entries.filter((entry) => managedFieldsEntries([entry])[0]?.version === name);
    const unlike = await inLongAnswersTurn(old.length > current.length ? old : current, connection, signal, async (nextTurn) => {
      const parsed = parseObject(old);
      await nextTurn();
      const parsedCurrent = parseObject(current);
      await nextTurn();
      return unlikeFields(ofVersion, parsed, parsedCurrent);
    });
    for (const path of unlike) paths.add(path);
  }
  return [...paths];
}

function unlikeFieldsRejection(cleaning: CleaningObject, paths: readonly string[]): ObjectRejection {
  const why = `the conversion webhook gives the fields that they own another name or value at ${cleaning.version}, such as ${firstOf(paths, MAX_NAMED)}`;
  return leftWithEntries(cleaning, why);
}

function otherSchemaRejection(cleaning: CleaningObject, paths: readonly string[]): ObjectRejection {
  const why = `the schema of ${cleaning.version} has a different list type, map keys, or map type at fields that they own: ${firstOf(paths, MAX_NAMED)}`;
  return leftWithEntries(cleaning, why);
}

function leftWithEntries({ version, versions }: CleaningObject, why: string): ObjectRejection {
  const old = versions.join(", ");
  const message =
    `Its entries of ${old} can't be moved: ${why}, so they would own nothing there. The object was left unchanged. ` +
    `Apply it at ${version} as those managers, then clean again. Otherwise, they lose these fields when ${old} is removed.`;
  return { kind: "rejected", reason: "OtherFields", message };
}
