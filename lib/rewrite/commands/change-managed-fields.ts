import type { Connection } from "#lib/cluster/connection/connection.ts";
import { type Rewritten, readObjectMetadata, replaceManagedFields } from "#lib/cluster/objects/custom-objects.ts";
import { type ClusterAnswer, clusterAnswer } from "#lib/cluster/transport/errors.ts";
import { FIELD_MANAGER } from "#lib/cluster/transport/request.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { ExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { managedFieldsOf, withoutNewEntriesOf } from "#lib/domain/objects/managed-fields.ts";
import { resourceVersionOf } from "#lib/domain/objects/resource-version.ts";
import type { ObjectName } from "#lib/domain/rewrite/run.ts";
import type { PatchPurpose } from "#lib/domain/rewrite/sent-patches.ts";

export interface ManagedFieldsChange {
  before: ExactJson[];
  after: ExactJson[];
  rewritten: Rewritten;
}

interface Options {
  connection: Connection;
  crd: Crd;
  version: string;
  runId?: string;
  throughStatus?: boolean;
  dryRun?: boolean;
  /** Called before each request. An error from it ends the change. */
  beforeRequest?: () => Promise<void>;
  /** The entries from before the API server could add one for crdshift; by default those that it reads first. */
  original?: readonly ExactJson[];
  onPatch?: (purpose: PatchPurpose) => void;
  signal: AbortSignal;
}

/** Other writers may change the object between read and write; a busy object needs several tries. */
const MAX_ATTEMPTS = 10;

/**
 * Applies `change` to an object's managedFields with a test of its resourceVersion, then removes the entry that the API server may
 * have added for crdshift. Starts over on a conflict.
 * @throws AppError conflict (409) after 10 conflicts, and the errors of reading and patching.
 */
export async function changeManagedFields(
  { connection, crd, version, dryRun = false, throughStatus = false, beforeRequest, original: given, ...request }: Options,
  object: ObjectName,
  change: (entries: ExactJson[]) => ExactJson[] | Promise<ExactJson[]>,
): Promise<ManagedFieldsChange> {
  const read = async () => {
    await beforeRequest?.();
    return readObjectMetadata(connection, crd, version, object, request);
  };
  const write = async (resourceVersion: string, managedFields: ExactJson) => {
    await beforeRequest?.();
    return replaceManagedFields(
      connection,
      crd,
      version,
      object,
      { resourceVersion, managedFields, dryRun },
      { ...request, throughStatus },
    );
  };
  // The entries as first read, without those that our own writes may add later.
  let original = given ?? null;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const object = await read();
    const before = managedFieldsOf(object);
    original ??= before;
    try {
      const rewritten = await write(resourceVersionOf(object), await change(before));
      const after = withoutNewEntriesOf(FIELD_MANAGER, rewritten.managedFields, original);
      if (dryRun || after.length === rewritten.managedFields.length) return { before, after, rewritten };
      return { before, after, rewritten: await write(rewritten.resourceVersion, after) };
    } catch (error) {
      // A failed test of the resourceVersion gets a 422, like any invalid patch.
      const status = clusterAnswer(error)?.status;
      const moved = status === 409 || (status === 422 && resourceVersionOf(await read()) !== resourceVersionOf(object));
      if (!moved) throw error;
    }
  }
  throw alwaysMoved(object);
}

function alwaysMoved({ namespace, name }: ObjectName): AppError {
  const message = `${namespace ? `${namespace}/` : ""}${name} kept changing between crdshift's read and its patch.`;
  const answer: ClusterAnswer = {
    status: 409,
    reason: "Conflict",
    message,
    name,
    retryAfterMs: null,
    fields: [],
    inconsistentContinue: null,
  };
  return Object.assign(new AppError("conflict", message, { nextStep: "Retry when the object is less busy." }), { answer });
}
