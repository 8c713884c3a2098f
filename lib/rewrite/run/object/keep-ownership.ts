import { jitteredBackoffMs, sleep } from "#lib/async/sleep.ts";
import { dryRunRewrite, type Rewritten, readObjectMetadata } from "#lib/cluster/objects/custom-objects.ts";
import type { ObjectMetadata } from "#lib/cluster/objects/object-pages.ts";
import { FIELD_MANAGER } from "#lib/cluster/transport/request.ts";
import { isGoneVersion } from "#lib/domain/definition/broken-applies.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { ExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { carryOver, managedFieldsEntries, managedFieldsOf, mayCarryOver, withoutNewEntriesOf } from "#lib/domain/objects/managed-fields.ts";
import { changeManagedFields } from "#lib/rewrite/commands/change-managed-fields.ts";
import type { Pass } from "#lib/rewrite/run/pass.ts";
import { type Attempts, noteLostAnswer, patchObject } from "./patch-object.ts";
import { type ObjectRejection, requestForObject } from "./request-for-object.ts";

/** Rewritten, with or without carried-over managedFields; or left unchanged because they can't be kept. */
export type Kept = (Rewritten & { kept: boolean }) | "unkeepable";

/**
 * Rewrites an object without losing field ownership. If its managedFields name a version that is gone, or the plain patch would empty
 * them, a JSON patch with a test of the resourceVersion carries the entries over to the storage version instead. That write stores the
 * object at the storage version too. A dry run comes first, because the API server still empties managedFields if the values don't fit the
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
  const plain = async (): Promise<Kept> => {
    gate.throwIfHeld();
    return { ...(await patchObject(pass, object, throughStatus, attempts)), kept: false };
  };
  const wouldStay = async () => {
    gate.throwIfHeld();
    return managedFieldsOf(await dryRunRewrite(connection, crd, version, object, options)).length > 0;
  };
  const isBroken = namesGoneVersion(crd, object.managedFields);
  if (!atRisk || (!isBroken && (await wouldStay()))) return plain();
  const carry = (dryRun: boolean) =>
    changeManagedFields({ connection, crd, version, dryRun, beforeRequest: gate.throwIfHeld, ...options }, object, (entries) =>
      carryOver(entries, (named) => mayCarryOver(crd, named), `${crd.group}/${version}`),
    );
  const { rewritten: tried } = await carry(true);
  if (!tried.owned || namesGoneVersion(crd, tried.managedFields)) {
    return pass.guard.acceptsLostOwnership(object.managedFields) || (isBroken && (await wouldStay())) ? plain() : "unkeepable";
  }
  const { rewritten } = await carry(false).catch(noteLostAnswer(attempts));
  return { ...rewritten, kept: rewritten.owned };
}

/** No apply works while it does. */
function namesGoneVersion(crd: Crd, managedFields: readonly ExactJson[]): boolean {
  return managedFieldsEntries([...managedFields]).some(({ version }) => isGoneVersion(crd, version));
}

const MAX_ATTEMPTS = 3;
/** With a webhook, more attempts further apart: if one of several instances is down or stopping, only some calls fail. */
const MAX_ATTEMPTS_WITH_WEBHOOK = 7;
/** More than elsewhere: whoever gives up here has lost the entries. */
const MAX_FAILURES = 10;
const BACKOFF = { firstMs: 200, maxMs: 3_000 };

/**
 * Puts back managedFields that crdshift's own patch just emptied, which the API server does silently if the conversion webhook fails
 * between two of its calls. Waits until conversion works, then writes the listed entries with a test of the resourceVersion. Someone who
 * has written since has left the managedFields empty, or has added an entry, which stays. A reset by hand in between looks the same.
 * @returns whether they were put back; "emptied" if the API server empties them again although conversion works; or that the object is
 * gone, or why it can't be written.
 */
export async function restoreOwnership(
  pass: Pass,
  object: ObjectMetadata,
): Promise<"kept" | "emptied" | { kind: "gone" } | ObjectRejection> {
  const { connection, crd, version, signal, runId, gate, onPatch } = pass;
  const options = { signal, runId, onPatch };
  const named = new Set(object.writes.map((write) => write.version));
  const converted = crd.versions.filter(({ name, served }) => served && name !== version && named.has(name));
  const isConverted = crd.conversion.strategy === "Webhook";
  const restore = async () => {
    for (const { name } of converted) {
      gate.throwIfHeld();
      await readObjectMetadata(connection, crd, name, object, options);
    }
    // Keep the entries of other writers since then.
    const { rewritten } = await changeManagedFields(
      { connection, crd, version, beforeRequest: gate.throwIfHeld, original: object.managedFields, ...options },
      object,
      (entries) => carryOver([...object.managedFields, ...entries], () => false, ""),
    );
    return rewritten.owned ? "kept" : "emptied";
  };
  const attempts = isConverted ? MAX_ATTEMPTS_WITH_WEBHOOK : MAX_ATTEMPTS;
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const answer = await requestForObject(pass, object, restore, { maxAttempts: MAX_FAILURES });
    if (answer.kind !== "answered") return answer;
    if (answer.value !== "emptied") return answer.value;
    if (isConverted) await sleep(jitteredBackoffMs(attempt - 1, BACKOFF), signal);
  }
  return "emptied";
}

/**
 * Takes back the entry that crdshift's patch left in managedFields: the defaults that it stored would be crdshift's own, and the next
 * unforced apply of whoever sets such a field would conflict.
 */
export async function disown(pass: Pass, object: ObjectMetadata, managedFields: readonly ExactJson[]): Promise<void> {
  const { connection, crd, version, signal, runId, gate, onPatch } = pass;
  if (withoutNewEntriesOf(FIELD_MANAGER, managedFields, object.managedFields).length === managedFields.length) return;
  // It is rewritten all the same: if it can't be written once more, the entry stays.
  await requestForObject(pass, object, () =>
    changeManagedFields({ connection, crd, version, signal, runId, onPatch, beforeRequest: gate.throwIfHeld }, object, (entries) =>
      withoutNewEntriesOf(FIELD_MANAGER, entries, object.managedFields),
    ),
  );
}
