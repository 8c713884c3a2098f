import { type ExactJson, exactProperty, exactText, isExactObject } from "#lib/domain/exact-json/exact-json.ts";
import { keepsUnknown, type Schema } from "#lib/domain/objects/schema-part.ts";

/**
 * What decides which parts of an object a read shows, which defaults it adds, and what managedFields call them. Everything else in a
 * structural schema only validates. Source: apiextensions-apiserver/pkg/apiserver/schema/structural.go.
 */
const SHAPING = [
  "type",
  "default",
  "nullable",
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-embedded-resource",
  "x-kubernetes-int-or-string",
  "x-kubernetes-list-type",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-map-type",
];

/**
 * Whether a read at a version with `schema` shows all that one at a version with `other` shows, with the same defaults: `other` has no
 * field that `schema` lacks, and all that both have is of the same shape. Both are `openAPIV3Schema`s; false where one is unknown.
 */
export function containsSchema(schema: Schema, other: Schema): boolean {
  return contains(schema, other, false);
}

/** `isOfKeepingList`: of items of a list that keeps unknown fields, which keeps theirs as well (pruning/algorithm.go, skipPrune). */
function contains(schema: Schema, other: Schema, isOfKeepingList: boolean): boolean {
  if (!isExactObject(schema) || !isExactObject(other)) return schema !== undefined && schema === other;
  if (SHAPING.some((keyword) => !isSame(exactProperty(schema, keyword), exactProperty(other, keyword)))) return false;
  const isKeeping = isOfKeepingList || keepsUnknown(schema);
  for (const inner of ["items", "additionalProperties"]) {
    const [own, others] = [exactProperty(schema, inner), exactProperty(other, inner)];
    if (own !== others && !contains(own, others, isKeeping && inner === "items")) return false;
  }
  const [fields, otherFields] = [propertiesOf(schema), propertiesOf(other)];
  // Where unknown fields are kept, a field that only one of both lists is kept by both, and pruned inside by one, or if it is null.
  const keepsOthers = isKeeping || exactProperty(schema, "additionalProperties") === true;
  if (keepsOthers && countOf(fields) !== countOf(otherFields)) return false;
  return Object.entries(otherFields).every(([name, field]) => contains(exactProperty(fields, name), field, false));
}

function isSame(one: Schema, other: Schema): boolean {
  if (one === undefined || other === undefined || typeof one === "string" || typeof other === "string") return one === other;
  return textOf(one) === textOf(other);
}

/** Of defaults, above all: a schema is compared with those of all versions, and a default may have a megabyte. */
const texts = new WeakMap<object, string>();

function textOf(value: ExactJson): string {
  if (typeof value !== "object" || value === null) return exactText(value);
  const text = texts.get(value) ?? exactText(value);
  texts.set(value, text);
  return text;
}

/** A schema is compared with those of all versions, and may have tens of thousands of fields. */
const counts = new WeakMap<object, number>();

function countOf(fields: { [key: string]: ExactJson }): number {
  const count = counts.get(fields) ?? Object.keys(fields).length;
  counts.set(fields, count);
  return count;
}

function propertiesOf(schema: Schema) {
  const properties = exactProperty(schema, "properties");
  return isExactObject(properties) ? properties : {};
}
