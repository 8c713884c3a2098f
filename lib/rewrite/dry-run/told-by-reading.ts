import { mapInShortTurns } from "#lib/async/map-in-short-turns.ts";
import type { ObjectMetadata } from "#lib/cluster/objects/object-pages.ts";
import { type ExactJson, isExactObject } from "#lib/domain/exact-json/exact-json.ts";
import { hasOwn } from "#lib/domain/objects/own-entries.ts";
import type { ListedObject } from "#lib/rewrite/run/object/still-listed.ts";

/** What is kept of an object that was listed. `isTold`: reading tells that the write leaves it as it is. */
export interface ReadObject {
  object: ListedObject;
  isTold: boolean;
}

/** Of an object that is read among those of its page: more takes longer than others should wait for their turn. */
const MOST = { values: 5_000, characters: 128 * 1024 };

/**
 * The objects of a page, each with whether reading it suffices. Drops the whole objects and their managedFields: a worker may take long with
 * the first one.
 */
export function toldByReading(
  objects: ObjectMetadata[],
  suffices: ((object: ExactJson) => boolean) | null,
  person: string,
): Promise<ReadObject[]> {
  const tell = ({ whole, managedFields, uid, namespace, name, resourceVersion }: ObjectMetadata) => {
    const object = { uid, namespace, name, resourceVersion };
    return { object, isTold: whole !== undefined && isSmall(whole) && !hasOwn(managedFields) && suffices?.(whole) === true };
  };
  return mapInShortTurns(objects.splice(0), tell, { person });
}

function isSmall(whole: ExactJson): boolean {
  const left = { ...MOST };
  return fits(whole, left);
}

/** Takes the value from what is left, as far as there is room. */
function fits(value: ExactJson, left: typeof MOST): boolean {
  left.values -= 1;
  if (typeof value === "string") left.characters -= value.length;
  if (left.values < 0 || left.characters < 0) return false;
  if (Array.isArray(value)) return value.every((item) => fits(item, left));
  if (!isExactObject(value)) return true;
  return Object.entries(value).every(([key, inner]) => {
    left.characters -= key.length;
    return fits(inner, left);
  });
}
