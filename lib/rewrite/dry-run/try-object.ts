import type { Connection } from "#lib/cluster/connection/connection.ts";
import { dryRunRewrite, readObject } from "#lib/cluster/objects/custom-objects.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { ExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { fieldLosses, generationOf, managedFieldsLosses, type ObjectLoss } from "#lib/domain/losses/losses.ts";
import { resourceVersionOf } from "#lib/domain/objects/resource-version.ts";
import type { ObjectName } from "#lib/domain/rewrite/run.ts";
import type { PatchPurpose } from "#lib/domain/rewrite/sent-patches.ts";
import type { Gate } from "#lib/rewrite/pacing/outage-gate.ts";
import type { Pacer } from "#lib/rewrite/pacing/pacer.ts";
import { type ObjectAnswer, type ObjectRejection, requestForObject } from "#lib/rewrite/run/request-for-object.ts";

/** What a rewrite's patches would do to one object. */
export type Verdict =
  | { kind: "pass"; losses: ObjectLoss[]; generationRises: boolean; unknownBecause: string | null }
  | { kind: "gone" }
  | ObjectRejection
  /** A webhook does not support dry run. */
  | { kind: "cannot"; reason: string; message: string };

export interface Trial {
  connection: Connection;
  crd: Crd;
  storageVersion: string;
  /** Served versions in which objects may still be stored; they show fields that the storage version's schema lacks. */
  leftovers: readonly string[];
  gate: Gate;
  pacer: Pacer;
  signal: AbortSignal;
  runId?: string;
  onPatch?: (purpose: PatchPurpose) => void;
}

/** Enough tries for a busy object, whose losses would otherwise be unknown. */
const MAX_ATTEMPTS = 10;

/**
 * Sends a rewrite's patch as a dry run and compares the answer with the current object, both at the same version. The storage version
 * shows defaults that would be stored, lost managedFields and a raised generation. Each served leftover version shows what would be
 * dropped, which the storage version no longer shows. Nothing is stored.
 */
export async function tryObject(trial: Trial, object: ObjectName): Promise<Verdict> {
  const atStorage = await compareAt(trial, object, trial.storageVersion);
  if (atStorage.kind === "rejected") return verdictOf(atStorage);
  if (atStorage.kind === "gone") return atStorage;
  const { before, after } = atStorage.value;
  const losses = [...managedFieldsLosses(before, after), ...fieldLosses(before, after)];
  let unknownBecause = atStorage.value.steady ? null : "it kept changing";
  for (const version of trial.leftovers) {
    const atLeftover = await compareAt(trial, object, version);
    if (atLeftover.kind === "gone") return atLeftover;
    if (atLeftover.kind === "rejected") unknownBecause = `the dry run at ${version} was rejected: ${atLeftover.message}`;
    else {
      losses.push(...fieldLosses(atLeftover.value.before, atLeftover.value.after));
      if (!atLeftover.value.steady) unknownBecause = "it kept changing";
    }
  }
  const [generation, raised] = [generationOf(before), generationOf(after)];
  return {
    kind: "pass",
    losses: onceEach(losses),
    generationRises: generation !== null && raised !== null && raised > generation,
    unknownBecause,
  };
}

/**
 * The fields that a rewrite of the object would drop or change, seen at another version: from a dry run there, or, if that is rejected
 * and the conversion strategy is None, by comparing with the storage version.
 */
export async function droppedFrom(
  trial: Omit<Trial, "leftovers">,
  object: ObjectName,
  version: string,
  throughStatus: boolean,
): Promise<ObjectAnswer<ObjectLoss[]>> {
  const mayDryRun = !throughStatus || trial.crd.versions.some(({ name, hasStatus }) => name === version && hasStatus);
  const dryRun = mayDryRun ? await compareAt(trial, object, version, throughStatus) : NO_STATUS;
  const canRead = dryRun.kind === "rejected" && trial.crd.conversion.strategy === "None";
  return canRead ? droppedByReading(trial, object, version) : droppedIn(dryRun);
}

/**
 * The fields that the object has at `version` and that are missing or different at `storageVersion`: what a write would drop or change
 * without conversion. Only reads.
 */
export async function droppedByReading(
  trial: Omit<Trial, "leftovers">,
  object: ObjectName,
  version: string,
): Promise<ObjectAnswer<ObjectLoss[]>> {
  const { connection, crd, storageVersion, signal, runId } = trial;
  const options = { signal, ...(runId && { runId }) };
  const compared = await requestForObject(trial, object, () =>
    steadily(
      () => readObject(connection, crd, version, object, options),
      () => readObject(connection, crd, storageVersion, object, options),
    ),
  );
  return droppedIn(compared);
}

function droppedIn(compared: ObjectAnswer<Compared>): ObjectAnswer<ObjectLoss[]> {
  if (compared.kind !== "answered") return compared;
  const { before, after, steady } = compared.value;
  if (!steady) return { kind: "rejected", reason: "LossUnknown", message: "The object kept changing, so its losses are unknown." };
  const losses = fieldLosses(before, after).filter(({ kind, path }) => kind !== "defaulted" && path !== "apiVersion");
  return { kind: "answered", value: losses };
}

/** The same object before and after; `steady` is false if another writer changed it in between. */
interface Compared {
  before: ExactJson;
  after: ExactJson;
  steady: boolean;
}

const NO_STATUS: ObjectRejection = {
  kind: "rejected",
  reason: "LossUnknown",
  message: "Its losses are unknown, because an old version has no /status subresource. Accept losses unseen to rewrite it through /status.",
};

function compareAt(trial: Omit<Trial, "storageVersion" | "leftovers">, object: ObjectName, version: string, throughStatus = false) {
  const { connection, crd, signal, runId, onPatch } = trial;
  const options = { signal, ...(runId && { runId }), ...(onPatch && { onPatch }) };
  return requestForObject(trial, object, () =>
    steadily(
      () => readObject(connection, crd, version, object, options),
      () => dryRunRewrite(connection, crd, version, object, { ...options, throughStatus }),
    ),
  );
}

// Another writer's change in between is not a loss.
async function steadily(readBefore: () => Promise<ExactJson>, readAfter: () => Promise<ExactJson>): Promise<Compared> {
  for (let attempt = 1; ; attempt += 1) {
    const before = await readBefore();
    const after = await readAfter();
    const steady = resourceVersionOf(before) === resourceVersionOf(after);
    if (steady || attempt >= MAX_ATTEMPTS) return { before, after: steady ? after : before, steady };
  }
}

function verdictOf({ reason, message }: ObjectRejection): Verdict {
  // kubernetes: staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/errors/statuserror.go, NewDryRunUnsupportedErr.
  return { kind: message.includes("does not support dry run") ? "cannot" : "rejected", reason, message };
}

function onceEach(losses: readonly ObjectLoss[]): ObjectLoss[] {
  return [...new Map(losses.map((loss) => [`${loss.kind} ${loss.path}`, loss])).values()];
}
