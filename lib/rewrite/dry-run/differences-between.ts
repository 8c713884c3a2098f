import type { NextTurn } from "#lib/async/in-turn-by-length.ts";
import type { ExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { fieldLosses } from "#lib/domain/losses/field-losses.ts";
import { holdsBack, type ObjectLoss } from "#lib/domain/losses/losses.ts";
import { managedFieldsLosses } from "#lib/domain/losses/managed-fields-losses.ts";

/**
 * What would be lost by writing one of these in place of the other, whichever it is: the same object as converted at two times. Only what
 * holds a rewrite back. `nextTurn` is awaited between the two ways.
 */
export async function differencesBetween(
  one: ExactJson,
  other: ExactJson,
  schema: ExactJson | undefined,
  nextTurn: NextTurn,
): Promise<ObjectLoss[]> {
  const lost = [...fieldLosses(one, other, schema), ...managedFieldsLosses(one, other)];
  await nextTurn();
  return [...lost, ...fieldLosses(other, one, schema)].filter(({ kind }) => holdsBack(kind));
}
