import { jitteredBackoffMs, sleep } from "#lib/async/sleep.ts";
import { readObject, replaceManagedFields } from "#lib/cluster/custom-objects.ts";
import type { ObjectMetadata } from "#lib/cluster/object-pages.ts";
import { carryOver, managedFieldsOf } from "#lib/domain/managed-fields.ts";
import { resourceVersionOf } from "#lib/domain/resource-version.ts";
import type { Pass } from "./pass.ts";
import { throughGate } from "./through-gate.ts";

const MAX_ATTEMPTS = 3;
/** With a webhook a few more, further apart: one of several that is down, or one that is going, fails only some of the calls. */
const MAX_ATTEMPTS_WITH_WEBHOOK = 7;
const BACKOFF = { firstMs: 200, maxMs: 3_000 };

/**
 * Puts back managedFields that the API server has just emptied, as it does silently when the conversion webhook fails between two
 * of its calls: waits until conversion works, then writes what was listed, under a test of the resourceVersion.
 * @returns the resourceVersion afterwards; null when the API server empties them again although conversion works.
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
    // Somebody may have written meanwhile: what is theirs stays.
    const managedFields = carryOver([...object.managedFields, ...managedFieldsOf(now)], () => false, "");
    const change = { resourceVersion, managedFields };
    const { rewritten } = await patiently(() => replaceManagedFields(connection, crd, version, object, change, { signal, runId, onPatch }));
    if (rewritten.owned) return rewritten.resourceVersion;
    if (isConverted) await sleep(jitteredBackoffMs(attempt - 1, BACKOFF), signal);
  }
  return null;
}
