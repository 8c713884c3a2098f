import { type ExactJson, exactProperty, exactText, isExactObject } from "#lib/domain/exact-json/exact-json.ts";

type Schema = ExactJson | undefined;

/**
 * Whether an object after a write is what it was before with defaults of its version's `openAPIV3Schema`, apart from its metadata. What
 * else a no-op write changes, admission has changed.
 */
export function onlyDefaulted(before: ExactJson, after: ExactJson, schema: Schema): boolean {
  return isExactObject(before) && isExactObject(after) && isWithDefaults({ ...before, metadata: {} }, { ...after, metadata: {} }, schema);
}

function isWithDefaults(before: ExactJson, after: ExactJson, schema: Schema): boolean {
  if (Array.isArray(before) && Array.isArray(after)) {
    const items = exactProperty(schema, "items");
    return before.length === after.length && before.every((item, index) => isWithDefaults(item, after[index] ?? null, items));
  }
  if (!isExactObject(before) || !isExactObject(after)) return exactText(before) === exactText(after);
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].every((key) => {
    const own = exactProperty(exactProperty(schema, "properties"), key) ?? exactProperty(schema, "additionalProperties");
    const [was, is] = [exactProperty(before, key), exactProperty(after, key)];
    if (is === undefined) return false;
    // A null that may not be one gets the default, too.
    if (was === undefined || (was === null && is !== null)) return exactProperty(own, "default") !== undefined;
    return isWithDefaults(was, is, own);
  });
}
