import { type Rewritten, readObject, rewriteObject } from "#lib/cluster/objects/custom-objects.ts";
import type { ObjectMetadata } from "#lib/cluster/objects/object-pages.ts";
import { clusterAnswer } from "#lib/cluster/transport/errors.ts";
import { compareResourceVersions, resourceVersionOf } from "#lib/domain/objects/resource-version.ts";
import type { Pass } from "./pass.ts";

/**
 * The plain no-op write of one object. A verification patches only the object as listed: if another writer has changed it since, its
 * resourceVersion is above the list's, and so above the settle point, and it is already current.
 */
export async function patchObject(pass: Pass, object: ObjectMetadata, throughStatus: boolean): Promise<Rewritten> {
  const { connection, crd, version, signal, runId, onPatch } = pass;
  const options = { signal, runId, throughStatus, onPatch, ...(pass.verifying && { ifResourceVersion: object.resourceVersion }) };
  try {
    return await rewriteObject(connection, crd, version, object, options);
  } catch (error) {
    const moved = pass.verifying && clusterAnswer(error)?.status === 409;
    if (moved && compareResourceVersions(await resourceVersionNow(pass, object), object.resourceVersion) > 0) {
      return { resourceVersion: object.resourceVersion, owned: true };
    }
    throw error;
  }
}

/** The object's current resourceVersion. */
async function resourceVersionNow({ connection, crd, version, signal, runId }: Pass, object: ObjectMetadata): Promise<string> {
  const now = await readObject(connection, crd, version, object, { signal, runId });
  return resourceVersionOf(now);
}
