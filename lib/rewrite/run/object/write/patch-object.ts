import { type Rewritten, readObjectMetadata, rewriteObject } from "#lib/cluster/objects/custom-objects.ts";
import { type ObjectMetadata, objectMetadataOf } from "#lib/cluster/objects/object-pages.ts";
import { clusterAnswer } from "#lib/cluster/transport/cluster-answer.ts";
import type { ExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { managedFieldsOf, wereEmptied } from "#lib/domain/objects/managed-fields.ts";
import { compareResourceVersions, resourceVersionOf } from "#lib/domain/objects/resource-version.ts";
import { classifyFailure } from "#lib/rewrite/run/object/request/classify-failure.ts";
import { isNamesake } from "#lib/rewrite/run/object/request/is-namesake.ts";
import type { Pass } from "#lib/rewrite/run/pass.ts";
import { type Attempts, noteLostAnswer } from "./note-lost-answer.ts";
import { mayStartElsewhere, readToStartFrom, requireFailedTest, testsOf } from "./start-from-read.ts";
import { mustShowBefore } from "./was-at-storage-version.ts";
import { writeFromCache } from "./write-from-cache.ts";

/**
 * How an object was written. `unforetold`: something in admission changed it, and not in the dry run right before. `moved`: it wasn't,
 * because someone else has changed it since the list; as it was then. `unanswered`: an earlier attempt got no answer, and by now there is
 * another object of its name. `shownBefore`: as it was read before, as text, where mustShowBefore.
 */
export type Patched = Rewritten & { unforetold?: true; moved?: ObjectMetadata; unanswered?: true; shownBefore?: string };

/**
 * The plain no-op write of one object as it was listed. If it has changed since, someone stored it after the list, and so at the storage
 * version: another writer, which makes it current and disproves nothing, or this one, if an answer was lost. Where a webhook converts it, the
 * write tests each field as in `shown`: the object as a check has just read it, as text; null if none has.
 * @throws GateHeld if the gate is held before all requests are sent.
 */
export async function patchObject(
  pass: Pass,
  object: ObjectMetadata,
  { throughStatus, shown }: { throughStatus: boolean; shown: string | null },
  attempts: Attempts,
): Promise<Patched> {
  const { connection, crd, version, signal, runId, gate, onPatch, verifying, guard } = pass;
  const options = { signal, runId, throughStatus, onPatch, ifResourceVersion: object.resourceVersion };
  const purpose = verifying ? "verify" : "rewrite";
  const write = (tests?: readonly string[]) => {
    const how = { ...options, purpose, ...(tests && { tests }) } as const;
    return noteLostAnswer(attempts, { within: signal, gate, owners: object.managedFields }, (sent) =>
      rewriteObject(connection, crd, version, object, { ...how, ...sent }),
    );
  };
  const writeAsRead = async () => {
    const tests = await testsOf(pass, object, shown ?? (await readToStartFrom(pass, object)));
    try {
      return await write(tests);
    } catch (error) {
      requireFailedTest(error, object);
    }
    return writeFromCache(pass, object, throughStatus, attempts);
  };
  const writePlain = async () => {
    if (throughStatus || !(await mustShowBefore(pass, object))) return write();
    const shownBefore = shown ?? (await readToStartFrom(pass, object).catch((error: unknown) => withoutRead(error, object)));
    return { ...(await write()), ...(shownBefore !== undefined && { shownBefore }) };
  };
  try {
    return await (mayStartElsewhere(crd, guard) ? writeAsRead() : writePlain());
  } catch (error) {
    const { status, reason } = clusterAnswer(error) ?? {};
    // What can't be compared may have been stored by someone else meanwhile.
    const moved = status === 409 || reason === "LossUnknown" ? await movedTo(pass, object, attempts) : null;
    if (moved) return moved;
    throw error;
  }
}

/** Only a write can say what is wrong with an object. What passes is no reason to write without a read: the next try has one. */
function withoutRead(error: unknown, object: ObjectMetadata): undefined {
  const { kind } = classifyFailure(error, object);
  if (kind !== "rejected" && kind !== "gone") throw error;
}

/** The object as it is after a conflict: as listed if only others can have changed it, or created it anew. Null if it has not changed. */
async function movedTo(pass: Pass, object: ObjectMetadata, { unanswered }: Attempts): Promise<Patched | null> {
  const { connection, crd, version, signal, runId, gate } = pass;
  await gate.whenReleased(signal);
  const now = await readObjectMetadata(connection, crd, version, object, { signal, runId });
  const resourceVersion = resourceVersionOf(now);
  if (compareResourceVersions(resourceVersion, object.resourceVersion) <= 0) return null;
  const { generation } = object;
  const isAnother = isNamesake(now, object);
  if (!unanswered || isAnother) {
    const asListed = { resourceVersion: object.resourceVersion, generation, managedFields: object.managedFields };
    return { ...asListed, deleted: false, owned: true, ...(isAnother ? unanswered && { unanswered } : { moved: objectMetadataOf(now) }) };
  }
  return leftUnanswered(object, now);
}

/** An object that a write without an answer may have changed, as it is `now`. Nobody knows whether that write raised the generation. */
export function leftUnanswered({ managedFields: listed }: ObjectMetadata, now: ExactJson): Patched {
  const managedFields = managedFieldsOf(now);
  const owned = !wereEmptied(listed, managedFields);
  return { resourceVersion: resourceVersionOf(now), generation: null, deleted: false, owned, managedFields };
}
