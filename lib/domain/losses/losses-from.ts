import type { ExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { fieldLosses } from "./field-losses.ts";
import { holdsBack, type ObjectLoss } from "./losses.ts";
import { managedFieldsLosses } from "./managed-fields-losses.ts";

/** What a write would lose of an object, as it is read, by starting from `other`, the same object as converted at another time; only what holds it back. */
export function lossesFrom(read: ExactJson, other: ExactJson, schema: ExactJson | undefined): ObjectLoss[] {
  return [...fieldLosses(read, other, schema), ...managedFieldsLosses(read, other)].filter(({ kind }) => holdsBack(kind));
}
