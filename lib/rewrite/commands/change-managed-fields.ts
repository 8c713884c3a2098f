import type { Connection } from "#lib/cluster/connection/connection.ts";
import { type Rewritten, readObject, replaceManagedFields } from "#lib/cluster/objects/custom-objects.ts";
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
  /** Called before each request; what it throws is thrown. */
  beforeRequest?: () => void;
  onPatch?: (purpose: PatchPurpose) => void;
  signal: AbortSignal;
}

/** Somebody may write between reading and writing; a busy object is met in between sooner or later. */
const MAX_ATTEMPTS = 10;

/**
 * Reads an object and writes what `change` makes of its managedFields, under a test of its resourceVersion, then takes out the entry
 * that the API server may have added for crdshift. Begins again when somebody was faster.
 * @throws AppError conflict (409) when somebody always was, and what reading and patching throw.
 */
export async function changeManagedFields(
  { connection, crd, version, dryRun = false, throughStatus = false, beforeRequest, ...request }: Options,
  object: ObjectName,
  change: (entries: ExactJson[]) => ExactJson[],
): Promise<ManagedFieldsChange> {
  const read = () => {
    beforeRequest?.();
    return readObject(connection, crd, version, object, request);
  };
  const write = (resourceVersion: string, managedFields: ExactJson) => {
    beforeRequest?.();
    return replaceManagedFields(
      connection,
      crd,
      version,
      object,
      { resourceVersion, managedFields, dryRun },
      { ...request, throughStatus },
    );
  };
  // As first read: what a write of ours may have added since is not theirs.
  let original: ExactJson[] | null = null;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const object = await read();
    const before = managedFieldsOf(object);
    original ??= before;
    try {
      const { rewritten, managedFields } = await write(resourceVersionOf(object), change(before));
      const after = withoutNewEntriesOf(FIELD_MANAGER, managedFields, original);
      if (dryRun || after.length === managedFields.length) return { before, after, rewritten };
      return { before, after, rewritten: (await write(rewritten.resourceVersion, after)).rewritten };
    } catch (error) {
      // A failed test of the resourceVersion is told as 422, like any other invalid patch.
      const status = clusterAnswer(error)?.status;
      const moved = status === 409 || (status === 422 && resourceVersionOf(await read()) !== resourceVersionOf(object));
      if (!moved) throw error;
    }
  }
  throw alwaysMoved(object);
}

function alwaysMoved({ namespace, name }: ObjectName): AppError {
  const message = `${namespace ? `${namespace}/` : ""}${name} was written to again and again between reading and patching it.`;
  const answer: ClusterAnswer = {
    status: 409,
    reason: "Conflict",
    message,
    name,
    retryAfterMs: null,
    fields: [],
    inconsistentContinue: null,
  };
  return Object.assign(new AppError("conflict", message, { nextStep: "Try it again when it is less busy." }), { answer });
}
