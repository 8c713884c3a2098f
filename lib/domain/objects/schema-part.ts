import { type ExactJson, exactProperty, isExactObject } from "#lib/domain/exact-json/exact-json.ts";

export const KEEPS_UNKNOWN = "x-kubernetes-preserve-unknown-fields";

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
  // What a list keeps, its items keep as well: pruning/algorithm.go, skipPrune.
  if (isExactObject(own)) return !key.startsWith("f:") && keepsUnknown(schema) ? { ...own, [KEEPS_UNKNOWN]: true } : own;
  // For pruning, false is as good as true: only validation forbids what it doesn't list (schema/convert.go).
  return typeof own === "boolean" || keepsUnknown(schema) ? { [KEEPS_UNKNOWN]: true } : undefined;
}

/**
 * The same of what a read shows. In a map of anything, the API server keeps scalars, and prunes all that an object has.
 * Source: apiextensions-apiserver/pkg/apiserver/schema/pruning/algorithm.go.
 */
export function shownPart(schema: Schema, key: string): Schema {
  const isListed = exactProperty(exactProperty(schema, "properties"), key.slice(2)) !== undefined;
  const isOfMap = key.startsWith("f:") && !isListed && typeof exactProperty(schema, "additionalProperties") === "boolean";
  return isOfMap ? {} : schemaPart(schema, key);
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

/** A fieldsV1 without the fields that the schema prunes: an entry that names its version owns nothing there. Null if nothing is left. */
export function fieldsOfSchema(fields: ExactJson, schema: ExactJson): ExactJson | null {
  const kept = visit(fields, schema, true);
  return isEmpty(kept) ? null : kept;
}

function visit(fields: ExactJson, schema: ExactJson, isRoot: boolean): ExactJson {
  if (!isExactObject(fields)) return fields;
  const kept = Object.entries(fields).flatMap(([key, inner]): [string, ExactJson][] => {
    if (key === "." || isOfEveryObject(schema, isRoot, key)) return [[key, inner]];
    const part = schemaPart(schema, key);
    // Only fields are pruned: an item that has none stays in its list.
    if (part === undefined) return key.startsWith("f:") ? [] : [[key, inner]];
    const left = visit(inner, part, false);
    return isEmpty(left) && !isEmpty(inner) ? [] : [[key, left]];
  });
  return Object.fromEntries(kept);
}

function isEmpty(fields: ExactJson): boolean {
  return isExactObject(fields) && Object.keys(fields).length === 0;
}
