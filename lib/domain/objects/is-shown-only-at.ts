import { type ExactJson, isExactObject } from "#lib/domain/exact-json/exact-json.ts";
import { isOfEveryObject, KEEPS_UNKNOWN, type Schema, schemaPart } from "./schema-part.ts";

/** What the API server keeps of every object, and what an update may change besides without a new generation. */
const OF_EVERY_OBJECT = ["apiVersion", "kind", "metadata"];
const OUTSIDE = [...OF_EVERY_OBJECT, "status"];

/**
 * Whether an object, as read at the version of `schema`, has a field that the API server prunes from what is stored at any of the
 * `others`: without a webhook, such an object was stored at the version itself, since a read prunes by the version that is stored, and adds
 * only its defaults (https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/, field pruning and
 * defaulting). False if a schema isn't known. `withStatus`: its status tells as well; not after a write, which may be what stored that at the
 * version, without a new generation.
 */
export function isShownOnlyAt(object: ExactJson, schema: Schema, others: readonly Schema[], { withStatus = false } = {}): boolean {
  if (schema === undefined || others.includes(undefined) || !isExactObject(object)) return false;
  const untold = withStatus ? OF_EVERY_OBJECT : OUTSIDE;
  const fields = Object.entries(object).filter(([key]) => !untold.includes(key));
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
