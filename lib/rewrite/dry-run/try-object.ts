import { setImmediate } from "node:timers/promises";
import { inTurnByLength, type NextTurn } from "#lib/async/in-turn-by-length.ts";
import { OBJECT_MAX_BYTES } from "#lib/cluster/transport/whole-answer.ts";
import type { ExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { hiddenFields, hiddenWords, mayHideFields } from "#lib/domain/losses/hidden-fields.ts";
import { holdsBack, type ObjectLoss } from "#lib/domain/losses/losses.ts";
import { managedFieldsLosses } from "#lib/domain/losses/managed-fields-losses.ts";
import { onlyDefaulted } from "#lib/domain/losses/only-defaulted.ts";
import { UNKNOWN_THROUGH_STATUS } from "#lib/domain/losses/unknown-through-status.ts";
import { generationOf, resourceVersionOf } from "#lib/domain/objects/resource-version.ts";
import type { ObjectName } from "#lib/domain/rewrite/run.ts";
import { UNREADABLE } from "#lib/rewrite/run/object/request/classify-failure.ts";
import type { ObjectAnswer, ObjectRejection } from "#lib/rewrite/run/object/request/object-answer.ts";
import { FROM_CACHE, mayStartElsewhere } from "#lib/rewrite/run/object/write/start-from-read.ts";
import { type Compared, type Comparing, compareByDryRun, compareByReading, type Shown, schemasOf } from "./compare-object.ts";
import type { SeenLoss } from "./loss-tally.ts";
import { lossesOnce } from "./losses-once.ts";
import { UNREAD } from "./version-schemas.ts";

/** What a rewrite's patches would do to one object. */
export type Verdict =
  | { kind: "pass"; losses: SeenLoss[]; generationRises: boolean; changedBeyondDefaults: boolean; unknown: UnknownLosses | null }
  | { kind: "gone" }
  | ObjectRejection
  /** A webhook does not support dry run, or crdshift can't read the object. */
  | { kind: "cannot"; reason: string; message: string };

/** Why losses are unknown, and whether that may have been temporary, so that another try tells them. */
export interface UnknownLosses {
  because: string;
  mayBeTemporary: boolean;
}

export interface Trying extends Comparing {
  storageVersion: string;
  /** The other versions to try it at; they show fields that the storage version's schema lacks. */
  otherVersions: readonly string[];
  /** Whether an object with this resourceVersion may hold fields that no schema has: none was written under this spec, or is proven. */
  mayHide(resourceVersion: string): boolean;
}

const BUSY: UnknownLosses = { because: "it kept changing", mayBeTemporary: true };

const CACHED_OTHERWISE: UnknownLosses = { because: FROM_CACHE, mayBeTemporary: false };

/**
 * Sends a rewrite's patch as a dry run and compares the answer with the current object, both at the storage version. That shows defaults that
 * would be stored, lost managedFields and a raised generation. Each other version shows what would be dropped, which the storage version no
 * longer shows. Nothing is stored.
 */
export async function tryObject(trying: Trying, object: ObjectName): Promise<Verdict> {
  const { crd, storageVersion } = trying;
  const schema = (await schemasOf(trying))(storageVersion);
  const tell = (before: ExactJson, after: ExactJson) => {
    const generationRises = raisesGeneration(before, after);
    const changedBeyondDefaults = generationRises && !onlyDefaulted(before, after, schema);
    return { ownership: managedFieldsLosses(before, after), generationRises, changedBeyondDefaults };
  };
  const atStorage = await compareByDryRun(trying, object, { version: storageVersion, looksIntoCache: mayStartElsewhere(crd), tell });
  if (atStorage.kind === "rejected") return verdictOf(atStorage);
  if (atStorage.kind === "gone") return atStorage;
  const { shown, told, losses: fields, steady, startsElsewhere } = atStorage.value;
  const { ownership, ...rises } = told;
  const everywhere: [Shown, ...Shown[]] = [shown];
  const losses = lossesOnce();
  losses.add(storageVersion, [...ownership, ...fields]);
  const unknowns = [...(steady ? [] : [BUSY]), ...(startsElsewhere ? [CACHED_OTHERWISE] : [])];
  for (const version of trying.otherVersions) {
    const there = await compareElsewhere(trying, object, version);
    if (there.kind === "gone") return there;
    if (there.kind === "rejected") {
      const what = convertsNothing(trying) ? `reading it at ${version} failed` : `the dry run at ${version} was rejected`;
      unknowns.push({ because: `${what}: ${there.message}`, mayBeTemporary: there.mayBeTemporary === true });
    } else {
      losses.add(version, there.value.losses);
      if (!isTooLong(everywhere)) everywhere.push(there.value.shown);
      if (!there.value.steady) unknowns.push(BUSY);
    }
  }
  // A large object's steps each have a turn of the event loop, so that others have theirs in between.
  await setImmediate();
  const hidden = await hiddenIn(trying, everywhere);
  if (hidden) unknowns.push(hidden);
  await setImmediate();
  // What lasts is worth more to know.
  const unknown = unknowns.find(({ mayBeTemporary }) => !mayBeTemporary) ?? unknowns[0] ?? null;
  return { kind: "pass", losses: losses.all(), ...rises, unknown };
}

/**
 * What the rewrite would lose, as another version than the storage version shows it. Without conversion, a read there suffices: the rewrite
 * writes nothing at that version, and a dry run would tell what its admission and its defaults do to such a write.
 */
async function compareElsewhere(trying: Trying, object: ObjectName, version: string): Promise<ObjectAnswer<Compared<null>>> {
  if (!convertsNothing(trying)) return compareByDryRun(trying, object, { version, tell: () => null });
  const answer = await compareByReading(trying, object, [version, trying.storageVersion]);
  if (answer.kind !== "answered") return answer;
  return { ...answer, value: { ...answer.value, losses: answer.value.losses.filter(isHeldBack) } };
}

function convertsNothing({ crd }: Pick<Trying, "crd">): boolean {
  return crd.conversion.strategy === "None";
}

/** A read at another version has another apiVersion. */
function isHeldBack({ kind, path }: ObjectLoss): boolean {
  return holdsBack(kind) && path !== "apiVersion";
}

/** The losses of a version that hold a rewrite back, and the object as read there. */
export interface LossesThere {
  losses: ObjectLoss[];
  shown: Shown;
  /** Whether the dry run, if that showed them, raised the object's generation. */
  generationRises: boolean;
}

/**
 * What a rewrite of the object would lose, seen at one version: from a dry run there, or, at another than the storage version if the
 * conversion strategy is None, by comparing the two versions. Managed fields are compared at the storage version.
 */
export async function lossesAt(
  trying: Omit<Trying, "otherVersions" | "mayHide">,
  object: ObjectName,
  version: string,
  throughStatus: boolean,
): Promise<ObjectAnswer<LossesThere>> {
  const isStorage = version === trying.storageVersion;
  if (!isStorage && convertsNothing(trying)) return droppedByReading(trying, object, version);
  const mayDryRun = !throughStatus || trying.crd.versions.some(({ name, hasStatus }) => name === version && hasStatus);
  if (!mayDryRun) return NO_STATUS;
  const tell = (before: ExactJson, after: ExactJson) => ({
    ownership: isStorage ? managedFieldsLosses(before, after) : [],
    generationRises: raisesGeneration(before, after),
  });
  return heldBackIn(await compareByDryRun(trying, object, { version, throughStatus, tell }));
}

/** Why the object, as read at the storage version first and then at others, may hold fields that nobody sees; null if it holds none. */
export async function hiddenIn(
  trying: Omit<Trying, "otherVersions">,
  [atStorage, ...elsewhere]: readonly [Shown, ...Shown[]],
): Promise<UnknownLosses | null> {
  const { connection, crd, signal } = trying;
  const schemaOf = await schemasOf(trying);
  const all = [atStorage, ...elsewhere];
  const look = async (nextTurn: NextTurn): Promise<UnknownLosses | null> => {
    const object = atStorage.parse();
    if (!trying.mayHide(resourceVersionOf(object))) return null;
    if (schemaOf === UNREAD) return { because: "crdshift couldn't read the versions' schemas.", mayBeTemporary: true };
    await nextTurn();
    const mayHide = mayHideFields(object, crd, schemaOf);
    if (mayHide === null) return TOO_LARGE_TO_COMPARE;
    if (!mayHide) return null;
    if (isTooLong(all)) return TOO_LARGE_TO_COMPARE;
    const others: ExactJson[] = [];
    for (const shown of elsewhere) {
      await nextTurn();
      others.push(shown.parse());
    }
    await nextTurn();
    const hidden = hiddenFields([object, ...others], crd, schemaOf);
    if (hidden === null) return TOO_LARGE_TO_COMPARE;
    const [first, ...rest] = hidden;
    return first ? { because: hiddenWords([first, ...rest]), mayBeTemporary: false } : null;
  };
  const length = Math.max(...all.map(({ text }) => text.length));
  return inTurnByLength({ kind: "objects", length, person: connection.person() }, signal, look);
}

/** Whether an object, as read at several versions, is too much to keep and to compare. */
export function isTooLong(shown: readonly Shown[]): boolean {
  return shown.reduce((sum, { text }) => sum + text.length, 0) > OBJECT_MAX_BYTES;
}

const TOO_LARGE_TO_COMPARE: UnknownLosses = {
  because:
    "managedFields may name a field that a read at the storage version doesn't show, and the object is too large to look for it at all versions. " +
    "Make the object smaller, or accept losses unseen in a rewrite.",
  mayBeTemporary: false,
};

/**
 * The fields that the object has at `version` and that are missing or different at `storageVersion`: what a write would drop or change
 * without conversion. Only reads.
 */
export async function droppedByReading(
  trying: Omit<Trying, "otherVersions" | "mayHide">,
  object: ObjectName,
  version: string,
): Promise<ObjectAnswer<LossesThere>> {
  return heldBackIn(await compareByReading(trying, object, [version, trying.storageVersion]));
}

/** The losses that hold a rewrite back, with those that what else was told has. */
function heldBackIn(
  answer: ObjectAnswer<Compared<{ ownership: ObjectLoss[]; generationRises: boolean } | null>>,
): ObjectAnswer<LossesThere> {
  if (answer.kind !== "answered") return answer;
  const { shown, losses, told, steady } = answer.value;
  if (!steady) return { kind: "rejected", reason: "LossUnknown", message: "The object kept changing, so its losses are unknown." };
  const found = [...losses, ...(told?.ownership ?? [])].filter(isHeldBack);
  return { kind: "answered", value: { shown, losses: found, generationRises: told?.generationRises ?? false } };
}

const NO_STATUS: ObjectRejection = {
  kind: "rejected",
  reason: "LossUnknown",
  message: UNKNOWN_THROUGH_STATUS,
};

function verdictOf({ reason, message }: ObjectRejection): Verdict {
  // kubernetes: staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/errors/statuserror.go, NewDryRunUnsupportedErr.
  const cannot = UNREADABLE.includes(reason) || message.includes("does not support dry run");
  return { kind: cannot ? "cannot" : "rejected", reason, message };
}

function raisesGeneration(before: ExactJson, after: ExactJson): boolean {
  const [generation, raised] = [generationOf(before), generationOf(after)];
  return generation !== null && raised !== null && raised > generation;
}
