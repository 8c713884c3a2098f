import type { ClusterRequest } from "#lib/cluster/transport/request.ts";
import { OBJECT_MAX_BYTES } from "#lib/cluster/transport/whole-answer.ts";
import { type ExactJson, exactText } from "#lib/domain/exact-json/exact-json.ts";
import { FIELD_MANAGER } from "#lib/domain/objects/own-entries.ts";
import type { ObjectName } from "#lib/domain/rewrite/run.ts";
import type { OnPatch } from "#lib/domain/rewrite/sent-patches.ts";
import { type CustomResource, objectPath } from "./object-path.ts";

export interface ObjectRequest extends Pick<ClusterRequest, "sending"> {
  signal: AbortSignal;
  runId?: string;
  /** Write through the `/status` subresource, which validates only the status and which few webhooks and policies match. */
  throughStatus?: boolean;
  /** Fail with 409 unless the object is at this resourceVersion. */
  ifResourceVersion?: string;
  /** JSON patch operations, as text, without which the write fails with 422, as of fieldTests. Dry runs start from what they read anew. */
  tests?: readonly string[];
  /** What a no-op write is for; by default, to rewrite the object. */
  purpose?: "rewrite" | "verify";
  /** Called before each patch is sent; not for one that is held back. */
  onPatch?: OnPatch;
}

/** What a write of managedFields replaces, and where: as of ObjectRequest. */
export interface ManagedFields extends Pick<ObjectRequest, "tests"> {
  resourceVersion: string;
  managedFields: ExactJson[];
}

const PATCH_TIMEOUT_MS = 40_000;
/** Of each request whose answer is one object. */
export const OF_ONE = { timeoutMs: PATCH_TIMEOUT_MS, maxBytes: OBJECT_MAX_BYTES };

/**
 * The patch that replaces an object's managedFields. The API server takes an empty list only in this form.
 * Source: https://kubernetes.io/docs/reference/using-api/server-side-apply/#clearing-managedfields
 */
export function managedFieldsPatch(
  path: string,
  { resourceVersion, managedFields, dryRun = false, tests = [] }: ManagedFields & { dryRun?: boolean },
  accept: string,
): Omit<ClusterRequest, "signal"> {
  const unmoved: ExactJson = { op: "test", path: "/metadata/resourceVersion", value: resourceVersion };
  const replaced: ExactJson = { op: "replace", path: "/metadata/managedFields", value: managedFields.length > 0 ? managedFields : [{}] };
  const body = jsonPatch([exactText(unmoved), ...tests, exactText(replaced)]);
  return { method: "PATCH", path: dryRun ? `${path}&dryRun=All` : path, accept, body, ...OF_ONE };
}

/** The patch that changes nothing. */
export function noOpPatch(
  resource: CustomResource,
  version: string,
  object: ObjectName,
  { throughStatus, ifResourceVersion, tests, onPatch: _, purpose: __, ...options }: ObjectRequest,
  accept: string,
): ClusterRequest {
  const metadata = ifResourceVersion === undefined ? {} : { metadata: { resourceVersion: ifResourceVersion } };
  const merge: ClusterRequest["body"] = { type: "application/merge-patch+json", json: JSON.stringify(metadata) };
  // As in a merge patch, another resourceVersion than the object's is a conflict.
  const at = { op: "replace", path: "/metadata/resourceVersion", value: ifResourceVersion };
  const body = tests === undefined ? merge : jsonPatch([...tests, ...(ifResourceVersion ? [JSON.stringify(at)] : [])]);
  return { method: "PATCH", path: patchPath(resource, version, object, throughStatus), accept, body, ...OF_ONE, ...options };
}

function jsonPatch(operations: readonly string[]): NonNullable<ClusterRequest["body"]> {
  return { type: "application/json-patch+json", json: `[${operations.join(",")}]` };
}

export function patchPath(resource: CustomResource, version: string, object: ObjectName, throughStatus = false): string {
  return `${objectPath(resource, version, object)}${throughStatus ? "/status" : ""}?fieldManager=${FIELD_MANAGER}`;
}
