import { z } from "zod";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { pathSegment } from "#lib/cluster/transport/path-segment.ts";
import { type ClusterRequest, FIELD_MANAGER, requestJson, requestText } from "#lib/cluster/transport/request.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { type ExactJson, exactText, parseExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { managedFieldsOf } from "#lib/domain/objects/managed-fields.ts";
import { resourceVersionOf } from "#lib/domain/objects/resource-version.ts";
import type { ObjectName } from "#lib/domain/rewrite/run.ts";
import type { PatchPurpose } from "#lib/domain/rewrite/sent-patches.ts";

export interface ObjectRequest {
  signal: AbortSignal;
  runId?: string;
  /** Through the subresource `/status`, which checks only the status and is met by few webhooks and policies. */
  throughStatus?: boolean;
  /** Refused with 409 unless the object is at this resourceVersion. */
  ifResourceVersion?: string;
  /** Told of each patch before it is sent. */
  onPatch?: (purpose: PatchPurpose) => void;
}

export interface Rewritten {
  /** Unchanged when the object was current. */
  resourceVersion: string;
  /** Whether the object has entries in managedFields afterwards. */
  owned: boolean;
}

const PATCH_TIMEOUT_MS = 40_000;
export const OBJECT_AS_METADATA = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
const patchedSchema = z.object({ metadata: z.object({ resourceVersion: z.string(), managedFields: z.array(z.unknown()).default([]) }) });

/**
 * The rewrite of one object: an empty merge patch, which makes the API server encode it again at the storage version and
 * write it only if the bytes differ. No byte of the object passes through here, and a deleted one is never created.
 */
export async function rewriteObject(
  connection: Connection,
  resource: CustomResource,
  version: string,
  object: ObjectName,
  options: ObjectRequest,
): Promise<Rewritten> {
  options.onPatch?.(options.throughStatus ? "status" : options.ifResourceVersion === undefined ? "rewrite" : "verify");
  const { json } = await requestJson(connection, noOpPatch(resource, version, object, options, OBJECT_AS_METADATA));
  const { resourceVersion, managedFields } = patchedSchema.parse(json).metadata;
  return { resourceVersion, owned: managedFields.length > 0 };
}

/** The very patch of a rewrite as a dry run: the object as it would be stored, read at that version. */
export async function dryRunRewrite(
  connection: Connection,
  resource: CustomResource,
  version: string,
  object: ObjectName,
  options: ObjectRequest,
): Promise<ExactJson> {
  options.onPatch?.("dryRun");
  const patch = noOpPatch(resource, version, object, options, "application/json");
  const { text } = await requestText(connection, { ...patch, path: `${patch.path}&dryRun=All` });
  return parseExactJson(text);
}

/** An object as it is, read at a version. */
export async function readObject(
  connection: Connection,
  resource: CustomResource,
  version: string,
  object: ObjectName,
  { signal, runId }: Pick<ObjectRequest, "signal" | "runId">,
): Promise<ExactJson> {
  const request = { path: objectPath(resource, version, object), timeoutMs: PATCH_TIMEOUT_MS, signal };
  const { text } = await requestText(connection, { ...request, ...(runId && { runId }) });
  return parseExactJson(text);
}

/**
 * Replaces an object's managedFields, under a test of its resourceVersion; the API server encodes it again at the storage version
 * with it. A failed test is a 422 (Invalid) that names the object.
 */
export async function replaceManagedFields(
  connection: Connection,
  resource: CustomResource,
  version: string,
  object: ObjectName,
  change: { resourceVersion: string; managedFields: ExactJson; dryRun?: boolean },
  { throughStatus, onPatch, ...options }: ObjectRequest,
): Promise<{ rewritten: Rewritten; managedFields: ExactJson[] }> {
  onPatch?.(change.dryRun ? "dryRun" : "ownership");
  const patch: ExactJson = [
    { op: "test", path: "/metadata/resourceVersion", value: change.resourceVersion },
    { op: "replace", path: "/metadata/managedFields", value: change.managedFields },
  ];
  const { text } = await requestText(connection, {
    method: "PATCH",
    path: `${patchPath(resource, version, object, throughStatus)}${change.dryRun ? "&dryRun=All" : ""}`,
    accept: OBJECT_AS_METADATA,
    body: { type: "application/json-patch+json", json: exactText(patch) },
    timeoutMs: PATCH_TIMEOUT_MS,
    ...options,
  });
  const patched = parseExactJson(text);
  const managedFields = managedFieldsOf(patched);
  return { rewritten: { resourceVersion: resourceVersionOf(patched), owned: managedFields.length > 0 }, managedFields };
}

function noOpPatch(
  resource: CustomResource,
  version: string,
  object: ObjectName,
  { throughStatus, ifResourceVersion, onPatch: _, ...options }: ObjectRequest,
  accept: string,
): ClusterRequest {
  return {
    method: "PATCH",
    path: patchPath(resource, version, object, throughStatus),
    accept,
    body: {
      type: "application/merge-patch+json",
      json: ifResourceVersion === undefined ? "{}" : JSON.stringify({ metadata: { resourceVersion: ifResourceVersion } }),
    },
    timeoutMs: PATCH_TIMEOUT_MS,
    ...options,
  };
}

function patchPath(resource: CustomResource, version: string, object: ObjectName, throughStatus = false): string {
  return `${objectPath(resource, version, object)}${throughStatus ? "/status" : ""}?fieldManager=${FIELD_MANAGER}`;
}

/** Where a definition's objects are: all that a path needs. */
export type CustomResource = Pick<Crd, "group" | "plural" | "scope">;

/** The path of all objects, read at a version. */
export function collectionPath(resource: CustomResource, version: string): string {
  return `/apis/${pathSegment(resource.group)}/${pathSegment(version)}/${pathSegment(resource.plural)}`;
}

/** The path of one object, read at a version. */
export function objectPath(resource: CustomResource, version: string, { namespace, name }: ObjectName): string {
  const collection = pathSegment(resource.plural);
  const scope = resource.scope === "Namespaced" ? `namespaces/${pathSegment(namespace)}/` : "";
  return `/apis/${pathSegment(resource.group)}/${pathSegment(version)}/${scope}${collection}/${pathSegment(name)}`;
}
