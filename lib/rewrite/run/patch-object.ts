import { type Rewritten, readObject, rewriteObject } from "#lib/cluster/objects/custom-objects.ts";
import type { ObjectMetadata } from "#lib/cluster/objects/object-pages.ts";
import { clusterAnswer } from "#lib/cluster/transport/errors.ts";
import { compareResourceVersions, resourceVersionOf } from "#lib/domain/objects/resource-version.ts";
import type { Pass } from "./pass.ts";

/**
 * The plain no-op write of one object. When verifying it must meet the very object that was listed: one that somebody else has written
 * since is above the list's resourceVersion, hence above the settle point, and is current without our doing.
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

/** The object's resourceVersion as it is now. */
async function resourceVersionNow({ connection, crd, version, signal, runId }: Pass, object: ObjectMetadata): Promise<string> {
  const now = await readObject(connection, crd, version, object, { signal, runId });
  return resourceVersionOf(now);
}
