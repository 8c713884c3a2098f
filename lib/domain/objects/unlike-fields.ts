import { type ExactJson, exactProperty, exactText, isExactObject, parseExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { fieldPath, stepOf } from "./field-path.ts";

/**
 * The fields of a managedFields entry's fieldsV1 that don't have the same value in an object as it is read at two versions, as paths. Empty
 * if the entry means the same at both. Source of the keys: structured-merge-diff, fieldpath/serialize-pe.go.
 */
export function unlikeFields(fields: ExactJson | undefined, one: ExactJson | undefined, other: ExactJson | undefined): string[] {
  const paths = new Set<string>();
  compare(fields, { one, other }, "", paths);
  return [...paths];
}

interface Values {
  one: ExactJson | undefined;
  other: ExactJson | undefined;
}

function compare(fields: ExactJson | undefined, { one, other }: Values, outer: string, paths: Set<string>): void {
  if (!isExactObject(fields)) return;
  const inner = Object.entries(fields);
  const isWhole = inner.length === 0 && outer !== "";
  if (isWhole ? textOf(one) !== textOf(other) : kindOf(one) !== kindOf(other)) {
    paths.add(outer);
    return;
  }
  for (const [key, within] of inner) {
    // The field itself, beside inner ones.
    if (key === ".") continue;
    compare(within, { one: memberOf(one, key), other: memberOf(other, key) }, fieldPath(outer, stepOf(key)), paths);
  }
}

/**
 * The field, list item by its keys, item of a set, or item by its index that a key of a set of fields means; undefined where it means
 * none, as a key does that only a direct write to etcd can leave.
 */
export function memberOf(value: ExactJson | undefined, key: string): ExactJson | undefined {
  const [kind, text] = [key.slice(0, 2), key.slice(2)];
  if (kind === "f:") return exactProperty(value, text);
  if (!Array.isArray(value)) return undefined;
  if (kind === "i:") return value[Number(text)];
  const wanted = parsed(text);
  if (wanted === undefined) return undefined;
  const names = kind === "k:" && isExactObject(wanted) ? Object.keys(wanted).sort() : null;
  return itemsBy(names, value)?.get(identityOf(wanted, names));
}

const indexes = new WeakMap<readonly ExactJson[], Map<string, Map<string, ExactJson>>>();

/** The API server names a list's items by the same keys each; those of another version's schema may be others. */
const MOST_NAMINGS = 4;

/**
 * A list's items by what names them, the first of each: the whole item, or its values of these keys. Searching for each takes minutes.
 * Undefined after a few kinds of names: nothing but a hostile entry has so many.
 */
function itemsBy(names: readonly string[] | null, list: readonly ExactJson[]): Map<string, ExactJson> | undefined {
  const ofList = indexes.get(list) ?? new Map<string, Map<string, ExactJson>>();
  indexes.set(list, ofList);
  const kind = JSON.stringify(names);
  const known = ofList.get(kind);
  if (known || ofList.size >= MOST_NAMINGS) return known;
  const items = new Map<string, ExactJson>();
  for (const item of list) {
    const identity = identityOf(item, names);
    if (!items.has(identity)) items.set(identity, item);
  }
  ofList.set(kind, items);
  return items;
}

function identityOf(item: ExactJson, names: readonly string[] | null): string {
  return names === null ? exactText(item) : JSON.stringify(names.map((name) => textOf(exactProperty(item, name))));
}

function parsed(text: string): ExactJson | undefined {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}

function textOf(value: ExactJson | undefined): string | null {
  return value === undefined ? null : exactText(value);
}

function kindOf(value: ExactJson | undefined): string {
  if (value === undefined) return "none";
  return Array.isArray(value) ? "list" : isExactObject(value) ? "object" : "value";
}
