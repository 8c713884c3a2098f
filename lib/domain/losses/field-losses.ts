import { type ExactJson, ExactNumber, exactProperty, isExactObject } from "#lib/domain/exact-json/exact-json.ts";
import { numberValues } from "#lib/domain/exact-json/number-values.ts";
import { shortText } from "#lib/domain/exact-json/short-text.ts";
import { fieldPath, type PathStep } from "#lib/domain/objects/field-path.ts";
import { type ItemIdentity, itemIdentity } from "./item-identity.ts";
import { limitedSameValue } from "./limited-same-value.ts";
import { type LossKind, lossKinds, type ObjectLoss } from "./losses.ts";

/** Of one object. What comes after them is told without values: a list of losses shows a hundred of each kind. */
const MOST_WITH_VALUES = 1_000;

type Schema = ExactJson | undefined;
type Add = (kind: LossKind, place: Place | null, before: ExactJson | undefined, after: ExactJson | undefined) => void;

interface Comparison {
  add: Add;
  /** The same number for equal values. Its numbers last as long as the comparison. */
  numberOf(value: ExactJson): number;
  isSameValue: ReturnType<typeof limitedSameValue>;
}

/** Where a value is; null for the whole object. Its path is made only if a loss names it, or one below it. */
interface Place {
  outer: Place | null;
  step: PathStep;
  path?: string;
}

function pathOf(place: Place | null): string {
  if (place === null) return "";
  place.path ??= fieldPath(pathOf(place.outer), place.step);
  return place.path;
}

/**
 * Differences between an object and the dry run's response, both at the same version. Each path at most once per kind. The version's
 * `openAPIV3Schema` tells which values are the same written otherwise; without it, every other spelling and order is a change.
 */
export function fieldLosses(before: ExactJson, after: ExactJson, schema?: Schema): ObjectLoss[] {
  const losses: ObjectLoss[] = [];
  const found = new Map(lossKinds.map((kind) => [kind, new Set<string>()]));
  const textOf = (value: ExactJson | undefined) => (value === undefined || losses.length >= MOST_WITH_VALUES ? null : shortText(value));
  const add: Add = (kind, place, was, is) => {
    const path = pathOf(place);
    const ofKind = found.get(kind);
    if (!ofKind || ofKind.has(path)) return;
    ofKind.add(path);
    losses.push({ kind, path, before: textOf(was), after: textOf(is) });
  };
  compare(withoutBookkeeping(before), withoutBookkeeping(after), schema, null, {
    ...{ add, numberOf: numberValues(), isSameValue: limitedSameValue() },
  });
  return losses;
}

/** Without what the API server keeps in metadata, and managedFields, which have a separate comparison. */
function withoutBookkeeping(object: ExactJson): ExactJson {
  const all = exactProperty(object, "metadata");
  if (!isExactObject(object) || !isExactObject(all)) return object;
  const { resourceVersion: _, generation: __, managedFields: ___, ...metadata } = all;
  return { ...object, metadata };
}

function compare(before: ExactJson, after: ExactJson, schema: Schema, outer: Place | null, comparison: Comparison): void {
  const { add, numberOf, isSameValue } = comparison;
  if (Array.isArray(before) && Array.isArray(after)) {
    const identity = itemIdentity(schema, numberOf);
    const isMatched = identity !== null && compareMatched(before, after, schema, identity, outer, comparison);
    if (!isMatched) compareInOrder(before, after, schema, outer, comparison);
    return;
  }
  if (!isExactObject(before) || !isExactObject(after)) {
    if (isSameScalar(before, after)) return;
    add(isSameValue(before, after, schema) ? "equivalent" : "changed", outer, before, after);
    return;
  }
  for (const [key, value] of Object.entries(before)) {
    const now = exactProperty(after, key);
    if (isSameScalar(value, now)) continue;
    const place = { outer, step: { key } };
    if (now === undefined) add("dropped", place, value, undefined);
    else compare(value, now, propertySchema(schema, key, outer === null), place, comparison);
  }
  for (const [key, value] of Object.entries(after)) {
    if (!Object.hasOwn(before, key)) add("defaulted", { outer, step: { key } }, undefined, value);
  }
}

// Most fields are. They need no place.
function isSameScalar(value: ExactJson, now: ExactJson | undefined): boolean {
  return value === now || (value instanceof ExactNumber && now instanceof ExactNumber && value.text === now.text);
}

/** Items of a `set` or `map` list are the same ones wherever they stand. False if an identity occurs twice: then only the order tells. */
function compareMatched(
  before: readonly ExactJson[],
  after: readonly ExactJson[],
  schema: Schema,
  identity: (item: ExactJson) => ItemIdentity,
  outer: Place | null,
  comparison: Comparison,
): boolean {
  const { add } = comparison;
  const places = new Map(after.map((item, index) => [identity(item), index]));
  if (places.size < after.length || new Set(before.map(identity)).size < before.length) return false;
  const place: Place = { outer, step: "index" };
  const items = itemSchema(schema);
  const left = new Set(after.keys());
  const gone: ExactJson[] = [];
  let [last, isMoved] = [-1, false];
  for (const item of before) {
    const index = places.get(identity(item));
    if (index === undefined) {
      gone.push(item);
      continue;
    }
    compare(item, after[index] ?? null, items, place, comparison);
    left.delete(index);
    isMoved ||= index < last;
    last = index;
  }
  // What has no counterpart may be the same item with another key, as when a default becomes part of the key.
  const fresh = [...left].map((index) => after[index] ?? null);
  for (const [index, item] of gone.entries()) {
    const counterpart = fresh[index];
    if (counterpart === undefined) add("dropped", place, item, undefined);
    else compare(item, counterpart, items, place, comparison);
  }
  for (const item of fresh.slice(gone.length)) add("defaulted", place, undefined, item);
  if (isMoved) add("equivalent", outer, [...before], [...after]);
  return true;
}

function compareInOrder(
  before: readonly ExactJson[],
  after: readonly ExactJson[],
  schema: Schema,
  outer: Place | null,
  comparison: Comparison,
): void {
  const { add, numberOf } = comparison;
  const place: Place = { outer, step: "index" };
  if (before.length === after.length) {
    const items = itemSchema(schema);
    for (const [index, item] of before.entries()) compare(item, after[index] ?? null, items, place, comparison);
    return;
  }
  // These items have no identity, and the list is one value: no default makes it longer. Told are items missing from one list, or else that
  // it is another one.
  const [numbersBefore, numbersAfter] = [before.map(numberOf), after.map(numberOf)];
  const [gone, fresh] = [missingFrom(numbersAfter, numbersBefore), missingFrom(numbersBefore, numbersAfter)];
  const [firstGone, firstFresh] = [before[gone[0] ?? -1], after[fresh[0] ?? -1]];
  const isShorter = before.length > after.length;
  if (isShorter) add("dropped", place, firstGone, undefined);
  if (gone.length > 0 && fresh.length > 0) add("changed", place, firstGone, firstFresh);
  else if (!isShorter || !isWithin(numbersBefore, numbersAfter)) add("changed", outer, [...before], [...after]);
}

/** The indexes of the items that the other list lacks, each as often as it lacks it. */
function missingFrom(others: readonly number[], items: readonly number[]): number[] {
  const left = new Map<number, number>();
  for (const other of others) left.set(other, (left.get(other) ?? 0) + 1);
  return [...items.keys()].filter((index) => {
    const item = items[index] ?? -1;
    const count = left.get(item) ?? 0;
    left.set(item, count - 1);
    return count <= 0;
  });
}

/** Whether the list has all of these items in this order. */
function isWithin(list: readonly number[], items: readonly number[]): boolean {
  let met = 0;
  for (const item of list) if (item === items[met]) met += 1;
  return met === items.length;
}

/**
 * The schema of a property; undefined where another spelling could be another meaning: in metadata, where labels are matched literally,
 * and for the plain strings of maps with free keys, such as selectors and environment variables.
 */
function propertySchema(schema: Schema, key: string, isRoot: boolean): Schema {
  if (key === "metadata" && (isRoot || exactProperty(schema, "x-kubernetes-embedded-resource") === true)) return undefined;
  const own = exactProperty(exactProperty(schema, "properties"), key);
  if (own !== undefined) return own;
  return unlessPlainString(exactProperty(schema, "additionalProperties"));
}

/** The schema of a list's items; undefined for plain strings, such as arguments of a command and values of a selector. */
function itemSchema(schema: Schema): Schema {
  return unlessPlainString(exactProperty(schema, "items"));
}

function unlessPlainString(schema: Schema): Schema {
  const isPlainString = exactProperty(schema, "type") === "string" && exactProperty(schema, "format") === undefined;
  return isPlainString ? undefined : schema;
}
