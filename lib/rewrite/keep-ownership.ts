import { dryRunRewrite, type Rewritten } from "#lib/cluster/custom-objects.ts";
import type { ObjectMetadata } from "#lib/cluster/object-pages.ts";
import { carryOver, managedFieldsOf, mayCarryOver } from "#lib/domain/managed-fields.ts";
import { changeManagedFields } from "./change-managed-fields.ts";
import type { Pass } from "./pass.ts";
import { patchObject } from "./patch-object.ts";

/** Rewritten, with its managedFields carried over or not; or left alone because they can't be kept. */
export type Kept = (Rewritten & { kept: boolean }) | "unkeepable";

/**
 * The rewrite of an object so that nobody loses ownership of fields: where the plain patch would empty its managedFields, a JSON patch
 * carries the entries over to the storage version instead, under a test of the resourceVersion. That write encodes the object at the
 * storage version just as well. It is tried as a dry run first: where the values don't fit the new schema, the API server empties
 * managedFields even so.
 * @throws GateHeld when nobody may send any more before all of it is done: a process that has slept must not write.
 */
export async function rewriteKeepingOwnership(pass: Pass, object: ObjectMetadata, throughStatus: boolean): Promise<Kept> {
  const { connection, crd, version, signal, runId, gate, onPatch } = pass;
  const atRisk = object.writes.some((write) => write.version !== version);
  const options = { signal, runId, throughStatus, onPatch };
  const plain = async (): Promise<Kept> => {
    gate.throwIfHeld();
    return { ...(await patchObject(pass, object, throughStatus)), kept: false };
  };
  if (!atRisk || managedFieldsOf(await dryRunRewrite(connection, crd, version, object, options)).length > 0) return plain();
  const carry = (dryRun: boolean) =>
    changeManagedFields({ connection, crd, version, dryRun, beforeRequest: gate.throwIfHeld, ...options }, object, (entries) =>
      carryOver(entries, (named) => mayCarryOver(crd, named), `${crd.group}/${version}`),
    );
  if (!(await carry(true)).rewritten.owned) {
    return pass.lossesAccepted ? plain() : "unkeepable";
  }
  const { rewritten } = await carry(false);
  return { ...rewritten, kept: rewritten.owned };
}
