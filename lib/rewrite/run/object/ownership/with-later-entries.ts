import { readObject } from "#lib/cluster/objects/custom-objects.ts";
import type { ObjectMetadata } from "#lib/cluster/objects/object-pages.ts";
import type { ExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { applyAtOtherVersion, hasFirstApply, managedFieldsEntries, withoutFirstApply } from "#lib/domain/objects/managed-fields.ts";
import { unlikeFields } from "#lib/domain/objects/unlike-fields.ts";
import type { Sending } from "#lib/rewrite/run/object/request/send-aside.ts";
import { lostIfRelabeled, relabeled } from "./lost-if-relabeled.ts";

type Reading = Pick<Sending, "connection" | "crd" | "gate" | "signal" | "runId">;

/**
 * The listed managedFields of an object that had none for a while, together with the entries `later`, of those who have written since. Of a
 * manager who has applied at another version meanwhile, the API server would keep only the later entry, so that one gets the listed fields,
 * too. Where they don't mean the same at its version, `before-first-apply` stays their owner.
 * @returns `ownsLess` if such fields changed their owner.
 * @throws GateHeld, and the errors of reading the object and its definition.
 */
export async function withLaterEntries(
  reading: Reading,
  object: ObjectMetadata,
  later: readonly ExactJson[],
): Promise<{ entries: ExactJson[]; ownsLess: boolean }> {
  const wasEmpty = hasFirstApply(later);
  const kept: ExactJson[] = [];
  const joined = new Map<ExactJson, ExactJson>();
  let ownsLess = false;
  for (const entry of object.managedFields) {
    const replacing = applyAtOtherVersion(entry, later);
    if (!replacing) kept.push(entry);
    else if (wasEmpty) {
      // Otherwise, that apply has already taken from its manager what it left out.
      const both = await joinedAt(reading, object, entry, replacing);
      if (both) joined.set(replacing, both);
      else ownsLess = true;
    }
  }
  const others = ownsLess ? later : withoutFirstApply(later, object.managedFields);
  return { entries: [...kept, ...others.map((entry) => joined.get(entry) ?? entry)], ownsLess };
}

/** `later` with the fields of `listed`, too; null if those are not the same at its version, or nobody can tell. */
async function joinedAt(reading: Reading, object: ObjectMetadata, listed: ExactJson, later: ExactJson): Promise<ExactJson | null> {
  const [from = "", version = ""] = managedFieldsEntries([listed, later]).map((entry) => entry.version);
  const isListed = (named: string) => named === from;
  const at = { ...reading, version };
  if ((await lostIfRelabeled(at, [listed], isListed)).length > 0 || !(await isSameAt(reading, object, listed, [from, version])))
    return null;
  return (await relabeled(at, [listed, later], isListed))[0] ?? null;
}

async function isSameAt(
  { connection, crd, gate, signal, runId }: Reading,
  object: ObjectMetadata,
  entry: ExactJson,
  [from, to]: [string, string],
): Promise<boolean> {
  const known = crd.versions.find(({ name }) => name === from);
  // Of a version that is gone, lostIfRelabeled says all that can be known.
  if (crd.conversion.strategy === "None" || !known) return true;
  if (!known.served) return false;
  const readAt = async (version: string) => {
    await gate.whenReleased(signal);
    return readObject(connection, crd, version, object, { signal, ...(runId && { runId }) });
  };
  return unlikeFields([entry], await readAt(from), await readAt(to)).length === 0;
}
