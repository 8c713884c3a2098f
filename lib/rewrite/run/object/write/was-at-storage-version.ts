import { readObject } from "#lib/cluster/objects/custom-objects.ts";
import type { ObjectMetadata } from "#lib/cluster/objects/object-pages.ts";
import { inLongAnswersTurn } from "#lib/cluster/transport/long-answers.ts";
import { parseObject } from "#lib/domain/exact-json/exact-json.ts";
import { isShownOnlyAt } from "#lib/domain/objects/is-shown-only-at.ts";
import { isAboveSettlePoint, resourceVersionOf } from "#lib/domain/objects/resource-version.ts";
import { hasStatusDefault, keepsUnlisted, knownSchemas } from "#lib/rewrite/dry-run/version-schemas.ts";
import type { Pass } from "#lib/rewrite/run/pass.ts";
import type { Attempts } from "./note-lost-answer.ts";

/**
 * Whether an object that a patch of its main resource has just changed was stored at the storage version all the same. A client that writes
 * at an older version leaves out what only the storage version defaults: a read shows the default, so the patch changes nothing but the
 * stored bytes, and raises no generation. Of an object that was stored at the older version, no read shows it. In its status, only the read
 * before the patch tells. False if that can't be told.
 */
export async function wasAtStorageVersion(
  pass: Pass,
  object: ObjectMetadata,
  written: { resourceVersion: string; generation: number | null; shownBefore?: string },
  { unanswered }: Attempts,
): Promise<boolean> {
  const { connection, crd, version, runId, gate, lasting: signal } = pass;
  if (!wouldDisprove(pass, object) || crd.conversion.strategy !== "None") return false;
  // After a lost answer, nobody knows which write raised it.
  if (unanswered || written.generation === null || written.generation !== object.generation) return false;
  try {
    const given = { connection, crd, signal };
    if (await keepsUnlisted(given)) return false;
    const schemaOf = await knownSchemas(given);
    const others = crd.versions.filter(({ name }) => name !== version).map(({ name }) => schemaOf(name));
    const { shownBefore } = written;
    if (shownBefore !== undefined) {
      const before = await inLongAnswersTurn(shownBefore, connection, signal, () => parseObject(shownBefore));
      const isOfPatch = resourceVersionOf(before) === object.resourceVersion;
      return isOfPatch && isShownOnlyAt(before, schemaOf(version), others, { withStatus: true });
    }
    await gate.whenReleased(signal);
    const now = await readObject(connection, crd, version, object, { signal, runId });
    return resourceVersionOf(now) === written.resourceVersion && isShownOnlyAt(now, schemaOf(version), others);
  } catch {
    return false;
  }
}

/**
 * Whether an object has to be read before its patch for wasAtStorageVersion: from an object of an older version, the patch takes the defaults
 * that only the storage version has in its status, and the next one stores them.
 * @throws as knownSchemas.
 */
export async function mustShowBefore(pass: Pass, object: ObjectMetadata): Promise<boolean> {
  const { connection, crd, version, signal } = pass;
  if (!wouldDisprove(pass, object) || crd.conversion.strategy !== "None") return false;
  return hasStatusDefault({ connection, crd, signal }, version);
}

/** Elsewhere, a change disproves nothing, and a first pass makes many. */
function wouldDisprove({ verifying, settleResourceVersion }: Pass, { resourceVersion }: ObjectMetadata): boolean {
  return verifying || isAboveSettlePoint(resourceVersion, settleResourceVersion);
}
