import { jitteredBackoffMs, sleep } from "#lib/async/sleep.ts";
import { dryRunRewrite, type Rewritten, readObject, replaceManagedFields } from "#lib/cluster/objects/custom-objects.ts";
import type { ObjectMetadata } from "#lib/cluster/objects/object-pages.ts";
import { carryOver, managedFieldsOf, mayCarryOver } from "#lib/domain/objects/managed-fields.ts";
import { resourceVersionOf } from "#lib/domain/objects/resource-version.ts";
import { changeManagedFields } from "#lib/rewrite/commands/change-managed-fields.ts";
import { throughGate } from "#lib/rewrite/pacing/through-gate.ts";
import type { Pass } from "./pass.ts";
import { patchObject } from "./patch-object.ts";

/** Rewritten, with or without carried-over managedFields; or left unchanged because they can't be kept. */
export type Kept = (Rewritten & { kept: boolean }) | "unkeepable";

/**
 * Rewrites an object without losing field ownership. If the plain patch would empty its managedFields, a JSON patch with a test of the
 * resourceVersion carries the entries over to the storage version instead. That write stores the object at the storage version too. A
 * dry run comes first, because the API server still empties managedFields if the values don't fit the new schema.
 * @throws GateHeld if the gate is held before all requests are sent: a process that has slept must not write.
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

const MAX_ATTEMPTS = 3;
/** With a webhook, more attempts further apart: if one of several instances is down or stopping, only some calls fail. */
const MAX_ATTEMPTS_WITH_WEBHOOK = 7;
const BACKOFF = { firstMs: 200, maxMs: 3_000 };

/**
 * Puts back managedFields that the API server just emptied, which it does silently if the conversion webhook fails between two of its
 * calls. Waits until conversion works, then writes the listed entries with a test of the resourceVersion.
 * @returns the new resourceVersion; null if the API server empties them again although conversion works.
 */
export async function restoreOwnership(pass: Pass, object: ObjectMetadata): Promise<string | null> {
  const { connection, crd, version, signal, runId, gate, onPatch } = pass;
  const patiently = <T>(request: () => Promise<T>) => throughGate(gate, signal, request);
  const named = new Set(object.writes.map((write) => write.version));
  const converted = crd.versions.filter(({ name, served }) => served && name !== version && named.has(name));
  const isConverted = crd.conversion.strategy === "Webhook";
  const attempts = isConverted ? MAX_ATTEMPTS_WITH_WEBHOOK : MAX_ATTEMPTS;
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    for (const { name } of converted) await patiently(() => readObject(connection, crd, name, object, { signal, runId }));
    const now = await patiently(() => readObject(connection, crd, version, object, { signal, runId }));
    const resourceVersion = resourceVersionOf(now);
    // Keep the entries of other writers since then.
    const managedFields = carryOver([...object.managedFields, ...managedFieldsOf(now)], () => false, "");
    const change = { resourceVersion, managedFields };
    const { rewritten } = await patiently(() => replaceManagedFields(connection, crd, version, object, change, { signal, runId, onPatch }));
    if (rewritten.owned) return rewritten.resourceVersion;
    if (isConverted) await sleep(jitteredBackoffMs(attempt - 1, BACKOFF), signal);
  }
  return null;
}
