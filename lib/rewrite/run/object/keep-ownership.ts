import { dryRunRewrite, type Rewritten } from "#lib/cluster/objects/custom-objects.ts";
import type { ObjectMetadata } from "#lib/cluster/objects/object-pages.ts";
import { FIELD_MANAGER } from "#lib/cluster/transport/request.ts";
import { isGoneVersion } from "#lib/domain/definition/broken-applies.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { ExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { carryOver, managedFieldsEntries, managedFieldsOf, mayCarryOver, withoutNewEntriesOf } from "#lib/domain/objects/managed-fields.ts";
import { changeManagedFields } from "#lib/rewrite/commands/change-managed-fields.ts";
import type { Pass } from "#lib/rewrite/run/pass.ts";
import { lostIfRelabeled } from "./lost-if-relabeled.ts";
import { type Attempts, noteLostAnswer, patchObject } from "./patch-object.ts";
import { requestForObject } from "./request-for-object.ts";

/** Rewritten, with or without carried-over managedFields; or left unchanged because they can't be kept. */
export type Kept = (Rewritten & { kept: boolean }) | Unkeepable;

/** The API server empties or keeps the entries anyway, or carried over they would not own the same fields. */
export type Unkeepable = "unkeepable" | "other-schema";

/**
 * Rewrites an object without losing field ownership. If its managedFields name a version that is gone, or the plain patch would empty
 * them, a JSON patch with a test of the resourceVersion carries the entries over to the storage version instead. That write stores the
 * object at the storage version too, unless an entry would then own less. A dry run comes first, because the API server still empties managedFields if the values don't fit the
 * new schema, or from Kubernetes 1.37 on leaves them as they were.
 * @throws GateHeld if the gate is held before all requests are sent: a process that has slept must not write.
 */
export async function rewriteKeepingOwnership(
  pass: Pass,
  object: ObjectMetadata,
  throughStatus: boolean,
  attempts: Attempts,
): Promise<Kept> {
  const { connection, crd, version, signal, runId, gate, onPatch } = pass;
  const atRisk = object.writes.some((write) => write.version !== version);
  const options = { signal, runId, throughStatus, onPatch };
  const released = () => gate.whenReleased(signal);
  const plain = async (): Promise<Kept> => {
    await released();
    return { ...(await patchObject(pass, object, throughStatus, attempts)), kept: false };
  };
  const wouldStay = async () => {
    await released();
    return managedFieldsOf(await dryRunRewrite(connection, crd, version, object, options)).length > 0;
  };
  const isBroken = namesGoneVersion(crd, object.managedFields);
  if (!atRisk || (!isBroken && (await wouldStay()))) return plain();
  const isOld = (named: string) => mayCarryOver(crd, named);
  const leave = async (why: Unkeepable) =>
    pass.guard.acceptsLostOwnership(object.managedFields) || (isBroken && (await wouldStay())) ? plain() : why;
  if ((await lostIfRelabeled(pass, object.managedFields, isOld)).length > 0) return leave("other-schema");
  const carry = (dryRun: boolean) =>
    changeManagedFields({ connection, crd, version, dryRun, beforeRequest: released, ...options }, object, (entries) =>
      carryOver(entries, isOld, `${crd.group}/${version}`),
    );
  const { rewritten: tried } = await carry(true);
  if (!tried.owned || namesGoneVersion(crd, tried.managedFields)) return leave("unkeepable");
  const { rewritten } = await carry(false).catch(noteLostAnswer(attempts));
  return { ...rewritten, kept: rewritten.owned };
}

/** No apply works while it does. */
function namesGoneVersion(crd: Crd, managedFields: readonly ExactJson[]): boolean {
  return managedFieldsEntries([...managedFields]).some(({ version }) => isGoneVersion(crd, version));
}

/**
 * Takes back the entry that crdshift's patch left in managedFields: the defaults that it stored would be crdshift's own, and the next
 * unforced apply of whoever sets such a field would conflict.
 * @returns the managedFields to put back if the API server emptied them instead; null if it didn't.
 */
export async function disown(pass: Pass, object: ObjectMetadata, managedFields: readonly ExactJson[]): Promise<ExactJson[] | null> {
  const { connection, crd, version, signal, runId, gate, onPatch } = pass;
  const withoutOwn = (entries: readonly ExactJson[]) => withoutNewEntriesOf(FIELD_MANAGER, entries, object.managedFields);
  if (withoutOwn(managedFields).length === managedFields.length) return null;
  const attempts: Attempts = { unanswered: false };
  const options = { connection, crd, version, signal, runId, onPatch, beforeRequest: () => gate.whenReleased(signal) };
  const write = () => changeManagedFields(options, object, withoutOwn).catch(noteLostAnswer(attempts));
  const answer = await requestForObject(pass, object, write, { effect: { stored: () => true } });
  // It is rewritten all the same: if it can't be written once more, the entry stays.
  if (answer.kind !== "answered" || answer.value.rewritten.owned) return null;
  const { before } = answer.value;
  // Already empty before this write: by an earlier one whose answer was lost, or else by a person.
  const wanted = before.length === 0 && attempts.unanswered ? withoutOwn(managedFields) : withoutOwn(before);
  return wanted.length > 0 ? wanted : null;
}
