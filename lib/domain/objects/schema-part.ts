import { type ExactJson, exactProperty } from "#lib/domain/exact-json/exact-json.ts";

const KEEPS_UNKNOWN = "x-kubernetes-preserve-unknown-fields";

/** An `openAPIV3Schema` or a part of it; undefined where it isn't known. */
export type Schema = ExactJson | undefined;

/**
 * The schema of what a key of fieldsV1 means in a schema: a field (`f:`), or an item of a list; undefined for what the API server prunes.
 * A field that is kept whatever it holds has a schema that keeps everything.
 */
export function schemaPart(schema: Schema, key: string): Schema {
  const own = key.startsWith("f:")
    ? (exactProperty(exactProperty(schema, "properties"), key.slice(2)) ?? exactProperty(schema, "additionalProperties"))
    : exactProperty(schema, "items");
  if (own !== undefined && own !== true && own !== false) return own;
  return own === true || keepsUnknown(schema) ? { [KEEPS_UNKNOWN]: true } : undefined;
}

export function keepsUnknown(schema: Schema): boolean {
  return exactProperty(schema, KEEPS_UNKNOWN) === true;
}

/** The keys of fieldsV1 that the API server keeps of every object, whatever the schema says. */
const OF_EVERY_OBJECT = new Set(["f:apiVersion", "f:kind", "f:metadata"]);

/** Whether a key of an object's fieldsV1, or of an embedded resource's, is kept whatever the schema says. */
export function isOfEveryObject(schema: Schema, isRoot: boolean, key: string): boolean {
  return OF_EVERY_OBJECT.has(key) && (isRoot || exactProperty(schema, "x-kubernetes-embedded-resource") === true);
}
