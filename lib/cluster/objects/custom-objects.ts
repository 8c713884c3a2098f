import { z } from "zod";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { clusterAnswer } from "#lib/cluster/transport/cluster-answer.ts";
import { inLongAnswersTurn } from "#lib/cluster/transport/long-answers.ts";
import { requestJson, requestText } from "#lib/cluster/transport/request.ts";
import { type ExactJson, exactProperty, parseObject } from "#lib/domain/exact-json/exact-json.ts";
import { managedFieldsOf } from "#lib/domain/objects/managed-fields.ts";
import { generationOf, resourceVersionOf } from "#lib/domain/objects/resource-version.ts";
import type { ObjectName } from "#lib/domain/rewrite/run.ts";
import type { PatchPurpose } from "#lib/domain/rewrite/sent-patches.ts";
import { type ManagedFields, managedFieldsPatch, noOpPatch, type ObjectRequest, OF_ONE, patchPath } from "./object-patches.ts";
import { type CustomResource, objectPath } from "./object-path.ts";

export interface Rewritten {
  /** Unchanged if the object was already current. */
  resourceVersion: string;
  /** Whether the object has managedFields entries afterwards. */
  owned: boolean;
  managedFields: ExactJson[];
  /** Null if the answer doesn't say. */
  generation: number | null;
  /** Whether it was being deleted, and the write took its last finalizer: then the API server has deleted it. */
  deleted: boolean;
}

export const OBJECT_AS_METADATA = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
const patchedSchema = z.object({
  metadata: z.object({
    resourceVersion: z.string(),
    generation: z.number().nullable().default(null),
    managedFields: z.array(z.unknown()).default([]),
    deletionTimestamp: z.string().nullish(),
    finalizers: z.array(z.string()).default([]),
  }),
});

/**
 * Rewrites one object with an empty patch: the API server encodes it again at the storage version, and writes it only if the bytes differ.
 * No value is sent to be stored, and a deleted object is never recreated.
 */
export async function rewriteObject(
  connection: Connection,
  resource: CustomResource,
  version: string,
  object: ObjectName,
  options: ObjectRequest,
): Promise<Rewritten> {
  const told = telling(options.throughStatus ? "status" : (options.purpose ?? "rewrite"), options);
  const { json } = await requestJson(connection, noOpPatch(resource, version, object, { ...options, ...told }, OBJECT_AS_METADATA));
  const { resourceVersion, generation, managedFields, deletionTimestamp, finalizers } = patchedSchema.parse(json).metadata;
  const deleted = Boolean(deletionTimestamp) && finalizers.length === 0;
  // JSON without numbers is always exact.
  return { resourceVersion, generation, deleted, owned: managedFields.length > 0, managedFields: managedFields as ExactJson[] };
}

/** Tells `onPatch` of a patch, once it goes out if it may be held back. Returns how to send it. */
function telling(purpose: PatchPurpose, { onPatch, sending, tests }: ObjectRequest): Pick<ObjectRequest, "sending"> {
  const isTested = tests !== undefined;
  if (!sending) {
    onPatch?.(purpose, isTested);
    return {};
  }
  let isTold = false;
  const begun = () => {
    // Sent once more after a 401, it is still the same patch.
    if (!isTold) onPatch?.(purpose, isTested);
    isTold = true;
    sending.begun();
  };
  return { sending: { ...sending, begun } };
}

/** The same patch as a dry run: returns the object as it would be stored, read at that version. */
export async function dryRunRewrite(...of: DryRunArguments): Promise<ExactJson> {
  return parsed(await dryRunRewriteText(...of), ...of);
}

type DryRunArguments = [connection: Connection, resource: CustomResource, version: string, object: ObjectName, options: ObjectRequest];

/** The same dry run, as the API server's text. */
export async function dryRunRewriteText(...[connection, resource, version, object, options]: DryRunArguments): Promise<string> {
  options.onPatch?.("dryRun");
  const patch = noOpPatch(resource, version, object, options, "application/json");
  const { text } = await requestText(connection, { ...patch, path: `${patch.path}&dryRun=All` });
  return text;
}

/** Reads an object at a version, with exact numbers. */
export function readObject(...of: ReadArguments): Promise<ExactJson> {
  return read("application/json", ...of);
}

/** Reads an object's metadata at a version; the object is converted to it all the same, and may have any size and depth. */
export function readObjectMetadata(...of: ReadArguments): Promise<ExactJson> {
  return read(OBJECT_AS_METADATA, ...of);
}

type ReadArguments = [
  connection: Connection,
  resource: CustomResource,
  version: string,
  object: ObjectName,
  options: Pick<ObjectRequest, "signal" | "runId">,
];

async function read(accept: string, ...of: ReadArguments): Promise<ExactJson> {
  return parsed(await readText(accept, of), ...of);
}

/** Parsed in a turn, if it is long. */
function parsed(text: string, ...[connection, , , , { signal }]: ReadArguments): Promise<ExactJson> {
  return inLongAnswersTurn(text, connection, signal, () => parseObject(text));
}

/** Reads an object at a version, as the API server's text. */
export function readObjectText(...of: ReadArguments): Promise<string> {
  return readText("application/json", of);
}

/**
 * Reads an object as the API server that answers keeps it in its cache, as text: converted when it was put there, and perhaps not the newest.
 * What a write changes, it changes in that (apiserver/pkg/storage/cacher/delegator.go, GuaranteedUpdate); other reads, and dry runs, convert
 * anew. Null if the cache doesn't have it, as for a moment after it was created. While the API server fills its cache again, it answers
 * this as any other read, and a write may still start from what was there.
 */
export async function readCachedObjectText(...of: ReadArguments): Promise<string | null> {
  try {
    return await readText("application/json", of, "?resourceVersion=0");
  } catch (error) {
    if (clusterAnswer(error)?.status === 404) return null;
    throw error;
  }
}

/** Reads an object's metadata at a version, as the API server's text. */
export function readObjectMetadataText(...of: ReadArguments): Promise<string> {
  return readText(OBJECT_AS_METADATA, of);
}

async function readText(
  accept: string,
  [connection, resource, version, object, { signal, runId }]: ReadArguments,
  query = "",
): Promise<string> {
  const request = { path: `${objectPath(resource, version, object)}${query}`, accept, signal, ...OF_ONE };
  const { text } = await requestText(connection, { ...request, ...(runId && { runId }) });
  return text;
}

/**
 * Replaces an object's managedFields if its resourceVersion still matches. The API server also encodes the object again at the storage
 * version. If it doesn't match, the answer is a 422 (Invalid) that names the object.
 */
export async function replaceManagedFields(
  connection: Connection,
  resource: CustomResource,
  version: string,
  object: ObjectName,
  change: ManagedFields & { dryRun?: boolean },
  { throughStatus, onPatch, ...options }: ObjectRequest,
): Promise<Rewritten & { patched: ExactJson }> {
  const told = telling(change.dryRun ? "dryRun" : "ownership", {
    ...options,
    ...(onPatch && { onPatch }),
    ...(change.tests && { tests: change.tests }),
  });
  const path = patchPath(resource, version, object, throughStatus);
  const request = managedFieldsPatch(path, change, OBJECT_AS_METADATA);
  const { text } = await requestText(connection, { ...request, ...options, ...told });
  const patched = await parsed(text, connection, resource, version, object, options);
  const managedFields = managedFieldsOf(patched);
  const [resourceVersion, generation] = [resourceVersionOf(patched), generationOf(patched)];
  const metadata = exactProperty(patched, "metadata");
  const deleted = exactProperty(metadata, "deletionTimestamp") !== undefined && exactProperty(metadata, "finalizers") === undefined;
  return { resourceVersion, generation, deleted, owned: managedFields.length > 0, managedFields, patched };
}

/** The same as a dry run, as the API server's text: the object as it would be stored, read at that version. */
export async function dryRunManagedFieldsText(
  connection: Connection,
  resource: CustomResource,
  version: string,
  object: ObjectName,
  change: ManagedFields,
  { throughStatus, onPatch, ...options }: ObjectRequest,
): Promise<string> {
  onPatch?.("dryRun");
  const path = patchPath(resource, version, object, throughStatus);
  const request = managedFieldsPatch(path, { ...change, dryRun: true }, "application/json");
  const { text } = await requestText(connection, { ...request, ...options });
  return text;
}
