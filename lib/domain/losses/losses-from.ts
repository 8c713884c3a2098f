import type { ExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { resourceVersionOf } from "#lib/domain/objects/resource-version.ts";
import { fieldLosses } from "./field-losses.ts";
import { holdsBack, type ObjectLoss } from "./losses.ts";
import { managedFieldsLosses } from "./managed-fields-losses.ts";

/** What a write that starts from an object as the API server's cache shows it would lose of it as it is read, and that holds it back. */
export function lossesFrom(read: ExactJson, cached: ExactJson, schema: ExactJson | undefined): ObjectLoss[] {
  // Another state of the object is no base for a write: the API server reads it anew.
  if (resourceVersionOf(cached) !== resourceVersionOf(read)) return [];
  return [...fieldLosses(read, cached, schema), ...managedFieldsLosses(read, cached)].filter(({ kind }) => holdsBack(kind));
}
