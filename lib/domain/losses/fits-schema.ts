import { type ExactJson, ExactNumber, exactProperty, isExactObject } from "#lib/domain/exact-json/exact-json.ts";
import { numberValues } from "#lib/domain/exact-json/number-values.ts";
import { isOfEveryObject, keepsUnknown, type Schema, shownPart } from "#lib/domain/objects/schema-part.ts";
import { itemIdentity } from "./item-identity.ts";

/**
 * Whether the API server can tell the fields of an object with a version's `openAPIV3Schema` apart: each value has the type that the
 * schema gives it, no list of type `set` or `map` names an item twice, and there is no field that the schema lacks. If not, the API server
 * can't update managedFields, and up to 1.36 empties them. Stricter than that: nulls never fit.
 * Source: structured-merge-diff, typed/validate.go.
 */
export function fitsSchema(object: ExactJson, schema: ExactJson): boolean {
  if (!isExactObject(object)) return false;
  const numberOf = numberValues();
  return Object.entries(object).every(
    ([name, value]) => isOfEveryObject(schema, true, `f:${name}`) || fitsField(schema, name, value, numberOf),
  );
}

/** The same number for equal values. */
type NumberOf = (value: ExactJson) => number;

function fitsField(schema: Schema, name: string, value: ExactJson, numberOf: NumberOf): boolean {
  const part = shownPart(schema, `f:${name}`);
  return part !== undefined && fits(value, part, numberOf);
}

function fits(value: ExactJson, schema: Schema, numberOf: NumberOf): boolean {
  if (value === null) return false;
  switch (exactProperty(schema, "type")) {
    case "object":
      return isExactObject(value) && Object.entries(value).every(([name, inner]) => fitsField(schema, name, inner, numberOf));
    case "array":
      return Array.isArray(value) && fitsList(value, schema, exactProperty(schema, "items"), numberOf);
    case "string":
      return typeof value === "string";
    case "boolean":
      return typeof value === "boolean";
    case "integer":
    case "number":
      return value instanceof ExactNumber;
    case undefined:
      return fitsUntyped(value, schema, numberOf);
    default:
      return false;
  }
}

/** Without a type, a schema still gives listed fields and items theirs, and keeps whatever else is there. */
function fitsUntyped(value: ExactJson, schema: Schema, numberOf: NumberOf): boolean {
  if (exactProperty(schema, "x-kubernetes-int-or-string") === true) return typeof value === "string" || value instanceof ExactNumber;
  if (!keepsUnknown(schema)) return false;
  if (isExactObject(value)) return Object.entries(value).every(([name, inner]) => fitsField(schema, name, inner, numberOf));
  const items = exactProperty(schema, "items");
  if (!Array.isArray(value) || items === undefined) return !holdsNull(value);
  return fitsList(value, schema, items, numberOf);
}

function fitsList(list: readonly ExactJson[], schema: Schema, items: Schema, numberOf: NumberOf): boolean {
  return hasDistinctItems(list, schema, numberOf) && list.every((item) => fits(item, items, numberOf));
}

function hasDistinctItems(items: readonly ExactJson[], schema: Schema, numberOf: NumberOf): boolean {
  if (!items.every((item) => hasIdentity(item, schema))) return false;
  const identityOf = itemIdentity(schema, numberOf);
  return identityOf === null || new Set(items.map(identityOf)).size === items.length;
}

/** Whether the API server can tell an item of this list from others. In an atomic one, it never does. */
function hasIdentity(item: ExactJson, schema: Schema): boolean {
  const keys = exactProperty(schema, "x-kubernetes-list-map-keys");
  switch (exactProperty(schema, "x-kubernetes-list-type")) {
    case "set":
      // One that is a list or a map is none of a set, whatever the schema says.
      return !isExactObject(item) && !Array.isArray(item);
    case "map":
      // A key that is missing may have a default.
      return Array.isArray(keys) && keys.length > 0 && keys.every((key) => exactProperty(item, String(key)) !== undefined);
    default:
      return true;
  }
}

function holdsNull(value: ExactJson): boolean {
  if (Array.isArray(value)) return value.some(holdsNull);
  return isExactObject(value) ? Object.values(value).some(holdsNull) : value === null;
}
