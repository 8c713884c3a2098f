import { readObject } from "#lib/cluster/objects/custom-objects.ts";
import type { ObjectMetadata } from "#lib/cluster/objects/object-pages.ts";
import { isShownOnlyAt } from "#lib/domain/objects/is-shown-only-at.ts";
import { isAboveSettlePoint, resourceVersionOf } from "#lib/domain/objects/resource-version.ts";
import { keepsUnlisted, knownSchemas } from "#lib/rewrite/dry-run/version-schemas.ts";
import type { Pass } from "#lib/rewrite/run/pass.ts";
import type { Attempts } from "./note-lost-answer.ts";

/**
 * Whether an object that a patch of its main resource has just changed was stored at the storage version all the same. A client that writes
 * at an older version leaves out what only the storage version defaults: a read shows the default, so the patch changes nothing but the
 * stored bytes, and raises no generation. Of an object that was stored at the older version, no read shows it. False if that can't be told.
 */
export async function wasAtStorageVersion(
  pass: Pass,
  object: ObjectMetadata,
  written: { resourceVersion: string; generation: number | null },
  { unanswered }: Attempts,
): Promise<boolean> {
  const { connection, crd, version, settleResourceVersion, verifying, runId, gate, lasting: signal } = pass;
  // Elsewhere, a change disproves nothing, and a first pass makes many.
  const wouldDisprove = verifying || isAboveSettlePoint(object.resourceVersion, settleResourceVersion);
  if (!wouldDisprove || crd.conversion.strategy !== "None") return false;
  // After a lost answer, nobody knows which write raised it.
  if (unanswered || written.generation === null || written.generation !== object.generation) return false;
  try {
    const given = { connection, crd, signal };
    if (await keepsUnlisted(given)) return false;
    const schemaOf = await knownSchemas(given);
    await gate.whenReleased(signal);
    const now = await readObject(connection, crd, version, object, { signal, runId });
    if (resourceVersionOf(now) !== written.resourceVersion) return false;
    const others = crd.versions.filter(({ name }) => name !== version);
    return isShownOnlyAt(
      now,
      schemaOf(version),
      others.map(({ name }) => schemaOf(name)),
    );
  } catch {
    return false;
  }
}
