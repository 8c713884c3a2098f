import { type ExactJson, exactProperty } from "#lib/domain/exact-json/exact-json.ts";
import type { Schema } from "#lib/domain/objects/schema-part.ts";

/** A list has a few. With ten thousand, ten thousand empty items take minutes to tell apart. */
const MOST_KEYS = 64;

export type ItemIdentity = string | number;

/**
 * What makes an item of a list the same one wherever it stands: the item itself in a `set`, its keys in a `map`. Null for an atomic list,
 * which is the default, and for a map with more keys than any has: there the order matters. `numberOf` gives equal values the same number
 * (numberValues): comparing texts takes the depth times the size.
 */
export function itemIdentity(schema: Schema, numberOf: (value: ExactJson) => number): ((item: ExactJson) => ItemIdentity) | null {
  const type = exactProperty(schema, "x-kubernetes-list-type");
  if (type === "set") return numberOf;
  const keys = exactProperty(schema, "x-kubernetes-list-map-keys");
  if (type !== "map" || !Array.isArray(keys) || keys.length === 0 || keys.length > MOST_KEYS) return null;
  const names = keys.filter((key) => typeof key === "string");
  return (item) => names.map((name) => numberOf(exactProperty(item, name) ?? null)).join();
}
