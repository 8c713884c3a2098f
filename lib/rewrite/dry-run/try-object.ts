import type { Connection } from "#lib/cluster/connection/connection.ts";
import { dryRunRewrite, readObject } from "#lib/cluster/objects/custom-objects.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { ExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { fieldLosses } from "#lib/domain/losses/field-losses.ts";
import { hiddenFields, hiddenWords } from "#lib/domain/losses/hidden-fields.ts";
import { holdsBack, type ObjectLoss } from "#lib/domain/losses/losses.ts";
import { managedFieldsLosses } from "#lib/domain/losses/managed-fields-losses.ts";
import { onlyDefaulted } from "#lib/domain/losses/only-defaulted.ts";
import { UNKNOWN_THROUGH_STATUS } from "#lib/domain/losses/unknown-through-status.ts";
import { generationOf, resourceVersionOf } from "#lib/domain/objects/resource-version.ts";
import type { ObjectName } from "#lib/domain/rewrite/run.ts";
import type { PatchPurpose } from "#lib/domain/rewrite/sent-patches.ts";
import type { Gate } from "#lib/rewrite/pacing/outage-gate.ts";
import type { Pacer } from "#lib/rewrite/pacing/pacer.ts";
import { UNREADABLE } from "#lib/rewrite/run/object/classify-failure.ts";
import { type ObjectAnswer, type ObjectRejection, requestAmid, requestForObject } from "#lib/rewrite/run/object/request-for-object.ts";
import type { SeenLoss } from "./loss-tally.ts";
import { knownSchemas, UNREAD, type VersionSchemas, versionSchemas } from "./version-schemas.ts";

/** What a rewrite's patches would do to one object. */
export type Verdict =
  | { kind: "pass"; losses: SeenLoss[]; generationRises: boolean; changedBeyondDefaults: boolean; unknown: UnknownLosses | null }
  | { kind: "gone" }
  | ObjectRejection
  /** A webhook does not support dry run, or crdshift can't read the object. */
  | { kind: "cannot"; reason: string; message: string };

/** Why losses are unknown, and whether that may have passed when it is tried again. */
export interface UnknownLosses {
  because: string;
  mayPass: boolean;
}

export interface Trial {
  connection: Connection;
  crd: Crd;
  storageVersion: string;
  /** The other versions to try it at; they show fields that the storage version's schema lacks. */
  otherVersions: readonly string[];
  /** Whether an object with this resourceVersion may hold fields that no schema has: none was written under this spec, or is proven. */
  mayHide(resourceVersion: string): boolean;
  gate: Gate;
  pacer: Pacer;
  /** Whether all this happens amid another request about the object, which has its turn and retries. */
  amid?: boolean;
  signal: AbortSignal;
  runId?: string;
  onPatch?: (purpose: PatchPurpose) => void;
}

const BUSY: UnknownLosses = { because: "it kept changing", mayPass: true };

/** Enough tries for a busy object, whose losses would otherwise be unknown. */
const MAX_ATTEMPTS = 10;

/**
 * Sends a rewrite's patch as a dry run and compares the answer with the current object, both at the same version. The storage version
 * shows defaults that would be stored, lost managedFields and a raised generation. Each other version shows what would be dropped, which
 * the storage version no longer shows. Nothing is stored.
 */
export async function tryObject(trial: Trial, object: ObjectName): Promise<Verdict> {
  const atStorage = await compareAt(trial, object, trial.storageVersion);
  if (atStorage.kind === "rejected") return verdictOf(atStorage);
  if (atStorage.kind === "gone") return atStorage;
  const { before, after } = atStorage.value;
  const shown: [ExactJson, ...ExactJson[]] = [before];
  const losses = seenAt(trial.storageVersion, [...managedFieldsLosses(before, after), ...atStorage.value.losses]);
  const unknowns = atStorage.value.steady ? [] : [BUSY];
  for (const version of trial.otherVersions) {
    const there = await compareAt(trial, object, version);
    if (there.kind === "gone") return there;
    if (there.kind === "rejected") {
      unknowns.push({ because: `the dry run at ${version} was rejected: ${there.message}`, mayPass: there.mayPass === true });
    } else {
      losses.push(...seenAt(version, there.value.losses));
      shown.push(there.value.before);
      if (!there.value.steady) unknowns.push(BUSY);
    }
  }
  const hidden = await hiddenIn(trial, shown);
  if (hidden) unknowns.push(hidden);
  const [generation, raised] = [generationOf(before), generationOf(after)];
  const generationRises = generation !== null && raised !== null && raised > generation;
  return {
    kind: "pass",
    losses: onceEach(losses),
    generationRises,
    changedBeyondDefaults: generationRises && !onlyDefaulted(before, after, (await versionSchemas(trial))(trial.storageVersion)),
    // What lasts is worth more to know.
    unknown: unknowns.find(({ mayPass }) => !mayPass) ?? unknowns[0] ?? null,
  };
}

/** The losses of a version that hold a rewrite back, and the object as read there. */
export interface LossesThere {
  losses: ObjectLoss[];
  shown: ExactJson;
}

/**
 * What a rewrite of the object would lose, seen at one version: from a dry run there, or, at another than the storage version if the
 * conversion strategy is None, by comparing the two versions. Managed fields are compared at the storage version.
 */
export async function lossesAt(
  trial: Omit<Trial, "otherVersions" | "mayHide">,
  object: ObjectName,
  version: string,
  throughStatus: boolean,
): Promise<ObjectAnswer<LossesThere>> {
  const isStorage = version === trial.storageVersion;
  if (!isStorage && trial.crd.conversion.strategy === "None") return droppedByReading(trial, object, version);
  const mayDryRun = !throughStatus || trial.crd.versions.some(({ name, hasStatus }) => name === version && hasStatus);
  const dryRun = mayDryRun ? await compareAt(trial, object, version, throughStatus) : NO_STATUS;
  return heldBackIn(dryRun, isStorage ? ({ before, after }) => managedFieldsLosses(before, after) : undefined);
}

/** Why the object, as read at the storage version first and then at others, may hold fields that nobody sees; null if it holds none. */
export async function hiddenIn(
  trial: Omit<Trial, "otherVersions">,
  shown: readonly [ExactJson, ...ExactJson[]],
): Promise<UnknownLosses | null> {
  if (!trial.mayHide(resourceVersionOf(shown[0]))) return null;
  const schemaOf = await schemasOf(trial);
  if (schemaOf === UNREAD) return { because: "crdshift couldn't read the versions' schemas.", mayPass: true };
  const [first, ...rest] = hiddenFields(shown, trial.crd, schemaOf);
  return first ? { because: hiddenWords([first, ...rest]), mayPass: false } : null;
}

/**
 * The fields that the object has at `version` and that are missing or different at `storageVersion`: what a write would drop or change
 * without conversion. Only reads.
 */
export async function droppedByReading(
  trial: Omit<Trial, "otherVersions" | "mayHide">,
  object: ObjectName,
  version: string,
): Promise<ObjectAnswer<LossesThere>> {
  const { connection, crd, storageVersion, gate, signal, runId } = trial;
  const options = { signal, ...(runId && { runId }) };
  // Both reads are of the same bytes, so nothing is written otherwise, and needs no schema.
  const compare = () =>
    steadily(
      () => gate.whenReleased(signal),
      () => readObject(connection, crd, version, object, options),
      () => readObject(connection, crd, storageVersion, object, options),
    );
  const ask = trial.amid ? requestAmid : requestForObject;
  const compared = await ask(trial, object, compare, { effect: "reads" });
  return heldBackIn(compared);
}

/** The losses that hold a rewrite back; `more` finds further ones in the compared objects. */
function heldBackIn(compared: ObjectAnswer<Compared>, more: (compared: Compared) => ObjectLoss[] = () => []): ObjectAnswer<LossesThere> {
  if (compared.kind !== "answered") return compared;
  const { before: shown, losses, steady } = compared.value;
  if (!steady) return { kind: "rejected", reason: "LossUnknown", message: "The object kept changing, so its losses are unknown." };
  const found = [...losses, ...more(compared.value)];
  return { kind: "answered", value: { shown, losses: found.filter(({ kind, path }) => holdsBack(kind) && path !== "apiVersion") } };
}

/** The same object before and after; `steady` is false if another writer changed it in between. */
interface Compared {
  before: ExactJson;
  after: ExactJson;
  losses: ObjectLoss[];
  steady: boolean;
}

const NO_STATUS: ObjectRejection = {
  kind: "rejected",
  reason: "LossUnknown",
  message: UNKNOWN_THROUGH_STATUS,
};

async function compareAt(
  trial: Omit<Trial, "storageVersion" | "otherVersions" | "mayHide">,
  object: ObjectName,
  version: string,
  throughStatus = false,
): Promise<ObjectAnswer<Compared>> {
  const { connection, crd, gate, signal, runId, onPatch } = trial;
  const options = { signal, ...(runId && { runId }), ...(onPatch && { onPatch }) };
  const schema = (await schemasOf(trial))(version);
  const compare = () =>
    steadily(
      () => gate.whenReleased(signal),
      () => readObject(connection, crd, version, object, options),
      () => dryRunRewrite(connection, crd, version, object, { ...options, throughStatus }),
      schema,
    );
  const ask = trial.amid ? requestAmid : requestForObject;
  return ask(trial, object, compare, { effect: "tries" });
}

function schemasOf(trial: Pick<Trial, "connection" | "crd" | "gate" | "signal" | "amid">): Promise<VersionSchemas> {
  return trial.amid ? knownSchemas(trial) : versionSchemas(trial);
}

// Another writer's change in between is not a loss. Throws GateHeld if the gate is held before all requests are sent.
async function steadily(
  whenReleased: () => Promise<void>,
  readBefore: () => Promise<ExactJson>,
  readAfter: () => Promise<ExactJson>,
  schema?: ExactJson,
): Promise<Compared> {
  for (let attempt = 1; ; attempt += 1) {
    await whenReleased();
    const before = await readBefore();
    await whenReleased();
    const after = await readAfter();
    if (resourceVersionOf(before) === resourceVersionOf(after)) {
      return { before, after, losses: fieldLosses(before, after, schema), steady: true };
    }
    if (attempt >= MAX_ATTEMPTS) return { before, after: before, losses: [], steady: false };
  }
}

function verdictOf({ reason, message }: ObjectRejection): Verdict {
  // kubernetes: staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/errors/statuserror.go, NewDryRunUnsupportedErr.
  const cannot = UNREADABLE.includes(reason) || message.includes("does not support dry run");
  return { kind: cannot ? "cannot" : "rejected", reason, message };
}

function seenAt(version: string, losses: readonly ObjectLoss[]): SeenLoss[] {
  return losses.map((loss) => ({ ...loss, version }));
}

function onceEach(losses: readonly SeenLoss[]): SeenLoss[] {
  return [...new Map(losses.map((loss) => [`${loss.kind} ${loss.path}`, loss])).values()];
}
