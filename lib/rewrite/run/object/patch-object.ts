import { dryRunRewrite, type Rewritten, readObjectMetadata, rewriteObject } from "#lib/cluster/objects/custom-objects.ts";
import type { ObjectMetadata } from "#lib/cluster/objects/object-pages.ts";
import { clusterAnswer } from "#lib/cluster/transport/errors.ts";
import { type ExactJson, exactProperty, exactText } from "#lib/domain/exact-json/exact-json.ts";
import { managedFieldsOf } from "#lib/domain/objects/managed-fields.ts";
import { compareResourceVersions, generationOf, resourceVersionOf } from "#lib/domain/objects/resource-version.ts";
import type { ObjectName } from "#lib/domain/rewrite/run.ts";
import { GateHeld } from "#lib/rewrite/pacing/outage-gate.ts";
import type { Pass } from "#lib/rewrite/run/pass.ts";
import { mayStartElsewhere, readToStartFrom, startFromRead } from "./start-from-read.ts";

/** An object as it was listed, if it was: one that was put into etcd may have an empty uid. */
export type Listed = ObjectName & { uid?: string };

/** Whether an object, as it is now, isn't the one that was listed: that one was deleted, and another was created with its name. */
export function isNamesake(now: ExactJson, { uid }: Listed): boolean {
  return uid !== undefined && (exactProperty(exactProperty(now, "metadata"), "uid") ?? "") !== uid;
}

/** What is known of the earlier attempts to write an object. */
export interface Attempts {
  /** One of them may have been stored although no answer said so. */
  unanswered: boolean;
}

/**
 * The plain no-op write of one object as it was listed. If it has changed since, someone stored it after the list, and so at the storage
 * version: another writer, which makes it current and disproves nothing, or this one, if an answer was lost. `shown` is the object as a
 * check has just read it, as text; null if none has.
 * @throws GateHeld if the gate is held before all requests are sent.
 */
export async function patchObject(
  pass: Pass,
  object: ObjectMetadata,
  { throughStatus, shown }: { throughStatus: boolean; shown: string | null },
  attempts: Attempts,
): Promise<Rewritten> {
  const { connection, crd, version, signal, runId, gate, onPatch, verifying, guard } = pass;
  const options = { signal, runId, throughStatus, onPatch, ifResourceVersion: object.resourceVersion };
  const purpose = verifying ? "verify" : "rewrite";
  const beforeRequest = (within: AbortSignal) => gate.whenReleased(within);
  const write = async (tests?: readonly string[]) => {
    await beforeRequest(signal);
    const how = { ...options, purpose, ...(tests && { tests }) } as const;
    return rewriteObject(connection, crd, version, object, how).catch(noteLostAnswer(attempts));
  };
  const tryOut = async () => {
    await beforeRequest(signal);
    const after = await dryRunRewrite(connection, crd, version, object, options);
    const isSame = (now: ExactJson[]) => exactText(now) === exactText([...object.managedFields]);
    const raisesNothing = object.generation !== null && generationOf(after) === object.generation;
    return !throughStatus && raisesNothing && isSame(managedFieldsOf(after)) && (await guard.admission?.now()) === "";
  };
  try {
    if (!mayStartElsewhere(crd, guard)) return await write();
    const writing = { ...pass, beforeRequest };
    return await startFromRead(writing, object, shown ?? (await readToStartFrom(writing, object)), { write, tryOut });
  } catch (error) {
    const { status, reason } = clusterAnswer(error) ?? {};
    // What can't be compared may have been stored by someone else meanwhile.
    const moved = status === 409 || reason === "LossUnknown" ? await movedTo(pass, object, attempts) : null;
    if (moved) return moved;
    throw error;
  }
}

/** Passes a write's error on, and notes if the write may have been stored all the same. */
export function noteLostAnswer(attempts: Attempts): (error: unknown) => never {
  return (error) => {
    // Nothing was sent.
    if (error instanceof GateHeld) throw error;
    const status = clusterAnswer(error)?.status ?? 0;
    if (status === 0 || status >= 500) attempts.unanswered = true;
    throw error;
  };
}

/** The object as it is after a conflict: as listed if only others can have changed it, or created it anew. Null if it has not changed. */
async function movedTo(pass: Pass, object: ObjectMetadata, { unanswered }: Attempts): Promise<Rewritten | null> {
  const { connection, crd, version, signal, runId, gate } = pass;
  await gate.whenReleased(signal);
  const now = await readObjectMetadata(connection, crd, version, object, { signal, runId });
  const resourceVersion = resourceVersionOf(now);
  if (compareResourceVersions(resourceVersion, object.resourceVersion) <= 0) return null;
  const { generation } = object;
  if (!unanswered || isNamesake(now, object))
    return { resourceVersion: object.resourceVersion, generation, deleted: false, owned: true, managedFields: object.managedFields };
  const managedFields = managedFieldsOf(now);
  return { resourceVersion, generation, deleted: false, owned: managedFields.length > 0, managedFields };
}
