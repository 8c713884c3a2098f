import { type ExactJson, isExactObject } from "#lib/domain/exact-json/exact-json.ts";
import { isOfEveryObject, schemaPart } from "./schema-part.ts";

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
