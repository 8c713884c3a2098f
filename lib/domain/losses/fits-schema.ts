import { type ExactJson, ExactNumber, exactProperty, exactText, isExactObject } from "#lib/domain/exact-json/exact-json.ts";
import { isOfEveryObject, keepsUnknown, type Schema, shownPart } from "#lib/domain/objects/schema-part.ts";

/**
 * Whether the API server can tell the fields of an object with a version's `openAPIV3Schema` apart: each value has the type that the
 * schema gives it, no list of type `set` or `map` names an item twice, and there is no field that the schema lacks. If not, the API server
 * can't update managedFields, and up to 1.36 empties them. Stricter than that: nulls never fit.
 * Source: structured-merge-diff, typed/validate.go.
 */
export function fitsSchema(object: ExactJson, schema: ExactJson): boolean {
  if (!isExactObject(object)) return false;
  return Object.entries(object).every(([name, value]) => isOfEveryObject(schema, true, `f:${name}`) || fitsField(schema, name, value));
}

function fitsField(schema: Schema, name: string, value: ExactJson): boolean {
  const part = shownPart(schema, `f:${name}`);
  return part !== undefined && fits(value, part);
}

function fits(value: ExactJson, schema: Schema): boolean {
  if (value === null) return false;
  switch (exactProperty(schema, "type")) {
    case "object":
      return isExactObject(value) && Object.entries(value).every(([name, inner]) => fitsField(schema, name, inner));
    case "array":
      return Array.isArray(value) && hasDistinctItems(value, schema) && value.every((item) => fits(item, exactProperty(schema, "items")));
    case "string":
      return typeof value === "string";
    case "boolean":
      return typeof value === "boolean";
    case "integer":
    case "number":
      return value instanceof ExactNumber;
    case undefined:
      return fitsUntyped(value, schema);
    default:
      return false;
  }
}

/** Without a type, a schema still gives listed fields and items theirs, and keeps whatever else is there. */
function fitsUntyped(value: ExactJson, schema: Schema): boolean {
  if (exactProperty(schema, "x-kubernetes-int-or-string") === true) return typeof value === "string" || value instanceof ExactNumber;
  if (!keepsUnknown(schema)) return false;
  if (isExactObject(value)) return Object.entries(value).every(([name, inner]) => fitsField(schema, name, inner));
  const items = exactProperty(schema, "items");
  if (!Array.isArray(value) || items === undefined) return !holdsNull(value);
  return hasDistinctItems(value, schema) && value.every((item) => fits(item, items));
}

/** Items of other lists have no names. Those of a `map` list need all its keys: one that is missing may have a default. */
function hasDistinctItems(items: readonly ExactJson[], schema: Schema): boolean {
  const nameOf = namingOf(schema);
  if (nameOf === null) return true;
  const names = items.map(nameOf);
  return !names.includes(null) && new Set(names).size === names.length;
}

function namingOf(schema: Schema): ((item: ExactJson) => string | null) | null {
  const keys = exactProperty(schema, "x-kubernetes-list-map-keys");
  switch (exactProperty(schema, "x-kubernetes-list-type")) {
    case "set":
      // An item that is a list or a map is none of a set for the API server, whatever the schema says.
      return (item) => (isExactObject(item) || Array.isArray(item) ? null : exactText(item));
    case "map":
      return (item) => {
        const values = Array.isArray(keys) ? keys.map((key) => exactProperty(item, String(key))) : [];
        return values.length === 0 || values.includes(undefined) ? null : JSON.stringify(values.map((value) => exactText(value ?? null)));
      };
    default:
      return null;
  }
}

function holdsNull(value: ExactJson): boolean {
  if (Array.isArray(value)) return value.some(holdsNull);
  return isExactObject(value) ? Object.values(value).some(holdsNull) : value === null;
}
