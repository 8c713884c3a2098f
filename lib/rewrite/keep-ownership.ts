import { dryRunRewrite, type Rewritten, readObject, replaceManagedFields } from "#lib/cluster/custom-objects.ts";
import { clusterAnswer } from "#lib/cluster/errors.ts";
import type { ObjectMetadata } from "#lib/cluster/object-pages.ts";
import { FIELD_MANAGER } from "#lib/cluster/request.ts";
import { exactProperty } from "#lib/domain/exact-json.ts";
import { carryOver, managedFieldsOf, withoutNewEntriesOf } from "#lib/domain/managed-fields.ts";
import type { Pass } from "./pass.ts";
import { patchObject, resourceVersionNow } from "./patch-object.ts";

export type Kept = Rewritten & { kept: boolean };

const MAX_ATTEMPTS = 3;

/**
 * The rewrite of an object so that nobody loses ownership of fields: where the plain patch would empty its managedFields, a JSON patch
 * carries the entries over to the storage version instead, under a test of the resourceVersion, and then takes out the entry
 * that the API server may have added for crdshift. That write encodes the object at the storage version just as well.
 */
export async function rewriteKeepingOwnership(pass: Pass, object: ObjectMetadata, throughStatus: boolean): Promise<Kept> {
  const { connection, crd, version, signal, runId } = pass;
  const options = { signal, runId, throughStatus };
  const atRisk = object.writes.some((write) => write.version !== version);
  if (!atRisk || managedFieldsOf(await dryRunRewrite(connection, crd, version, object, options)).length > 0) {
    return { ...(await patchObject(pass, object, throughStatus)), kept: false };
  }
  for (let attempt = 1; ; attempt += 1) {
    const before = await readObject(connection, crd, version, object, { signal, runId });
    const resourceVersion = String(exactProperty(exactProperty(before, "metadata"), "resourceVersion"));
    const entries = managedFieldsOf(before);
    const managedFields = carryOver(entries, (named) => named !== version, `${crd.group}/${version}`);
    try {
      const carried = await replaceManagedFields(connection, crd, version, object, { resourceVersion, managedFields }, options);
      const own = Array.isArray(carried.managedFields) ? carried.managedFields : [];
      const others = withoutNewEntriesOf(FIELD_MANAGER, own, entries);
      if (others.length === own.length) return { ...carried.rewritten, kept: carried.rewritten.owned };
      const change = { resourceVersion: carried.rewritten.resourceVersion, managedFields: others };
      const { rewritten } = await replaceManagedFields(connection, crd, version, object, change, options);
      return { ...rewritten, kept: rewritten.owned };
    } catch (error) {
      // Somebody was faster, which the test of the resourceVersion tells as 422 and the storage as 409.
      const status = clusterAnswer(error)?.status;
      const moved = status === 409 || (status === 422 && (await resourceVersionNow(pass, object)) !== resourceVersion);
      if (!moved || attempt >= MAX_ATTEMPTS) throw error;
    }
  }
}
