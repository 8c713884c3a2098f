import { type ExactJson, exactProperty, exactText } from "#lib/domain/exact-json/exact-json.ts";
import type { Schema } from "#lib/domain/objects/schema-part.ts";

/** A list has a few. With ten thousand, ten thousand empty items take minutes to tell apart. */
const MOST_KEYS = 64;

/**
 * What makes an item of a list the same one wherever it stands: the item itself in a `set`, its keys in a `map`. Null for an atomic list,
 * which is the default, and for a map with more keys than any has: there the order matters.
 */
export function itemIdentity(schema: Schema): ((item: ExactJson) => string) | null {
  const type = exactProperty(schema, "x-kubernetes-list-type");
  if (type === "set") return exactText;
  const keys = exactProperty(schema, "x-kubernetes-list-map-keys");
  if (type !== "map" || !Array.isArray(keys) || keys.length === 0 || keys.length > MOST_KEYS) return null;
  const names = keys.filter((key) => typeof key === "string");
  return (item) => JSON.stringify(names.map((name) => exactText(exactProperty(item, name) ?? null)));
}
