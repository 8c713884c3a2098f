import { type ExactJson, exactProperty, isExactObject, parseExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { fieldPath, stepOf } from "./field-path.ts";
import { isOfEveryObject, keepsUnknown, type Schema, schemaPart } from "./schema-part.ts";

/** What owns a field in a schema: the field as a whole, or each part of it. A shape of the value's own has parts only as a map. */
type Shape = "whole-list" | "whole-map" | "items" | "fields" | "own" | "other";

interface Both {
  from: Schema;
  to: Schema;
  /** Whether a field that the other schema doesn't know may have another name there, as after a webhook's conversion. */
  mayRename?: boolean;
}

/**
 * The fields of a managedFields entry's fieldsV1 that it would no longer own if it named another version, as paths: items of lists that the
 * other schema identifies by other `x-kubernetes-list-map-keys` or not at all, and whole lists and maps of which it owns the parts. Where
 * only the other schema takes a list or a map as a whole, the API server translates the entry itself, unless it is a map of values that have
 * no type (measured on 1.36 and 1.37; structured-merge-diff, typed/reconcile_schema.go). Fields that the other schema prunes count if they
 * may have been renamed. If `from` isn't known, whole fields aren't compared; if `to` isn't, no item is found.
 */
export function lostByRelabeling(fields: ExactJson | undefined, schemas: Both): string[] {
  const paths = new Set<string>();
  visit(fields, schemas, "", paths);
  return [...paths];
}

function visit(fields: ExactJson | undefined, { from, to, mayRename = false }: Both, outer: string, paths: Set<string>): void {
  if (!isExactObject(fields)) return;
  const inner = Object.keys(fields);
  const items = inner.filter((key) => key.startsWith("k:") || key.startsWith("v:"));
  const shape = to === undefined ? "own" : shapeOf(to);
  const losesItems = items.length > 0 && (shape === "own" || (shape === "items" && !items.every((item) => isNamedBy(to, item))));
  if (losesItems || (inner.length === 0 && from !== undefined && losesWhole(shapeOf(from), shape))) {
    paths.add(outer);
    return;
  }
  if (to !== undefined && isAtomic(to)) {
    if (isOfUntypedValues(to) && inner.length > 0 && !inner.includes(".")) paths.add(outer);
    return;
  }
  for (const key of inner) {
    // Its metadata is owned in the same way at each version.
    if (key === "." || isOfEveryObject(to, outer === "", key)) continue;
    const part = { from: schemaPart(from, key), to: schemaPart(to, key), mayRename };
    const path = fieldPath(outer, stepOf(key));
    // What the other schema doesn't know is pruned.
    const isPruned = to !== undefined && part.to === undefined;
    if (!isPruned) visit(fields[key], part, path, paths);
    else if (mayRename) paths.add(path);
  }
}

/** Whether a list or map is owned as a whole: never in parts. */
export function isAtomic(schema: ExactJson): boolean {
  const shape = shapeOf(schema);
  return shape === "whole-list" || shape === "whole-map";
}

/**
 * Whether the API server takes the values of a map for untyped: kube-openapi, pkg/schemaconv. Of a string it knows no format but `byte`.
 */
function isOfUntypedValues(map: ExactJson): boolean {
  const properties = exactProperty(map, "properties");
  if (isExactObject(properties) && Object.keys(properties).length > 0) return false;
  const values = exactProperty(map, "additionalProperties");
  if (!isExactObject(values)) return values === true || keepsUnknown(map);
  const format = exactProperty(values, "format");
  const isOtherString = exactProperty(values, "type") === "string" && typeof format === "string" && format !== "byte";
  return isOtherString || exactProperty(values, "x-kubernetes-int-or-string") === true || keepsUnknown(values);
}

/** Whether an owner of the whole would own nothing. Beside that, an empty list or map is owned as a whole in any schema. */
function losesWhole(from: Shape, to: Shape): boolean {
  if (from === "whole-map") return to === "fields" || to === "own";
  return (from === "whole-list" || from === "own") && to === "items";
}

function shapeOf(schema: ExactJson): Shape {
  const type = exactProperty(schema, "type");
  if (type === "array") {
    const listType = exactProperty(schema, "x-kubernetes-list-type");
    return listType === "map" || listType === "set" ? "items" : "whole-list";
  }
  if (type === "object") return exactProperty(schema, "x-kubernetes-map-type") === "atomic" ? "whole-map" : "fields";
  return keepsUnknown(schema) ? "own" : "other";
}

/** Whether the items of this list are named like this: by their value in a set, by all keys in a map, each required or with a default. */
function isNamedBy(schema: Schema, item: string): boolean {
  if (exactProperty(schema, "x-kubernetes-list-type") === "set") return item.startsWith("v:");
  const keys = keysOf(schema);
  const named = item.startsWith("k:") ? parseExactJson(item.slice(2)) : null;
  if (keys === null || !isExactObject(named)) return false;
  const names = Object.keys(named);
  return names.length === keys.size && names.every((name) => keys.has(name));
}

/** By the schema's list: it may have thousands, and an entry thousands of lists. */
const keySets = new WeakMap<ExactJson[], Set<ExactJson>>();

/** The keys that name the items of a list; null if it has none. */
function keysOf(schema: Schema): Set<ExactJson> | null {
  const list = exactProperty(schema, "x-kubernetes-list-map-keys");
  if (!Array.isArray(list)) return null;
  const keys = keySets.get(list) ?? new Set(list);
  keySets.set(list, keys);
  return keys;
}
