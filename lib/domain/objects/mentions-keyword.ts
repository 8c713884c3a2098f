import { exactProperty, isExactObject } from "#lib/domain/exact-json/exact-json.ts";
import type { Schema } from "./schema-part.ts";

/** Whether a schema, or a part of it, has one of these keywords. */
export function mentionsKeyword(schema: Schema, keywords: readonly string[]): boolean {
  if (!isExactObject(schema)) return false;
  if (keywords.some((keyword) => exactProperty(schema, keyword) !== undefined)) return true;
  const properties = exactProperty(schema, "properties");
  const fields = isExactObject(properties) ? Object.values(properties) : [];
  return [exactProperty(schema, "items"), exactProperty(schema, "additionalProperties"), ...fields].some((inner) =>
    mentionsKeyword(inner, keywords),
  );
}
