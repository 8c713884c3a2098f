import { type ExactJson, isExactObject } from "#lib/domain/exact-json/exact-json.ts";
import { isOfEveryObject, KEEPS_UNKNOWN, type Schema, schemaPart } from "./schema-part.ts";

/** What an update of a custom resource may change without a new generation. */
const OUTSIDE = ["apiVersion", "kind", "metadata", "status"];

/**
 * Whether an object, as read at the version of `schema`, has a field that the API server prunes from what is stored at any of the
 * `others`: without a webhook, such an object was stored at the version itself, since a read prunes by the version that is stored, and adds
 * only its defaults (https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/, field pruning and
 * defaulting). False if a schema isn't known.
 */
export function isShownOnlyAt(object: ExactJson, schema: Schema, others: readonly Schema[]): boolean {
  if (schema === undefined || others.includes(undefined) || !isExactObject(object)) return false;
  const fields = Object.entries(object).filter(([key]) => !OUTSIDE.includes(key));
  return fields.some(([key, value]) => isOnlyAt(value, key, others));
}

/** `others` are undefined where an outer field is pruned already. */
function isOnlyAt(value: ExactJson, key: string, others: readonly Schema[]): boolean {
  if (value === null) return false;
  const parts = others.map((schema) => keptPart(schema, key));
  if (parts.every((part) => part === undefined)) return true;
  if (Array.isArray(value)) {
    const items = parts.map((part) => part && schemaPart(part, "items"));
    return value.some((item) => areOnlyAt(item, items));
  }
  return areOnlyAt(value, parts);
}

function areOnlyAt(value: ExactJson, others: readonly Schema[]): boolean {
  return isExactObject(value) && Object.entries(value).some(([key, inner]) => isOnlyAt(inner, key, others));
}

function keptPart(schema: Schema, key: string): Schema {
  if (schema === undefined) return undefined;
  const named = `f:${key}`;
  return isOfEveryObject(schema, false, named) ? { [KEEPS_UNKNOWN]: true } : schemaPart(schema, named);
}
