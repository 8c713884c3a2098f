import { type ExactJson, exactProperty, isExactObject, OBJECT_VALUES, parseExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { numberValues } from "#lib/domain/exact-json/number-values.ts";

/** What keys of a set of fields mean in objects; the indexes of their lists last as long as it does. */
export interface FieldReader {
  /**
   * The field, list item by its keys, item of a set, or item by its index that a key means; undefined where it means none, as a key does
   * that only a direct write to etcd can leave. Source of the keys: structured-merge-diff, fieldpath/serialize-pe.go.
   */
  memberOf(value: ExactJson | undefined, key: string): ExactJson | undefined;
  /** The same number for equal values. */
  numberOf(value: ExactJson): number;
}

/** The API server names a list's items by the same keys each; those of another version's schema may be others. */
const MOST_NAMINGS = 4;

/** Of the items' keys, for all indexes: more than the lists of any real object have, at all its versions. */
const MOST_READS = 4 * OBJECT_VALUES;

type Items = Map<string, ExactJson>;

/** What a key of an item says: the names of the item's keys, null for the whole item, and what it is by them. */
interface Meaning {
  names: readonly string[] | null;
  /** The names as one text. */
  kind: string;
  identity: string;
}

export function fieldReader(): FieldReader {
  const numberOf = numberValues();
  const meanings = new Map<string, Meaning | null>();
  const indexes = new WeakMap<readonly ExactJson[], Map<string, Items>>();
  let readsLeft = MOST_READS;

  /** What names an item: the whole item, or its values of these keys. */
  const identityOf = (item: ExactJson, names: readonly string[] | null) => {
    if (names === null) return String(numberOf(item));
    const values = names.map((name) => exactProperty(item, name));
    return values.map((value) => (value === undefined ? "" : numberOf(value))).join();
  };

  /**
   * A list's items by what names them, the first of each: searching for each takes minutes. Undefined after a few kinds of names, or where
   * the items can't have so many keys: nothing but a hostile entry names them so.
   */
  const itemsBy = ({ names, kind }: Meaning, list: readonly ExactJson[]) => {
    const ofList = indexes.get(list) ?? new Map<string, Items>();
    indexes.set(list, ofList);
    const known = ofList.get(kind);
    const reads = list.length * (names?.length ?? 1);
    if (known || ofList.size >= MOST_NAMINGS || reads > Math.min(readsLeft, OBJECT_VALUES)) return known;
    readsLeft -= reads;
    const items: Items = new Map();
    for (const item of list) {
      const identity = identityOf(item, names);
      if (!items.has(identity)) items.set(identity, item);
    }
    ofList.set(kind, items);
    return items;
  };

  /** What a key of an item says. The same keys are read in an object at each version, so each is parsed once. */
  const meaningOf = (key: string) => {
    const before = meanings.get(key);
    if (before !== undefined) return before;
    const wanted = parsed(key.slice(2));
    const names = key.startsWith("k:") && isExactObject(wanted) ? Object.keys(wanted).sort() : null;
    const meaning = wanted === undefined ? null : { names, kind: JSON.stringify(names), identity: identityOf(wanted, names) };
    meanings.set(key, meaning);
    return meaning;
  };

  return {
    numberOf,
    memberOf(value, key) {
      const [kind, text] = [key.slice(0, 2), key.slice(2)];
      if (kind === "f:") return exactProperty(value, text);
      if (!Array.isArray(value)) return undefined;
      if (kind === "i:") return value[Number(text)];
      const meaning = meaningOf(key);
      return meaning ? itemsBy(meaning, value)?.get(meaning.identity) : undefined;
    },
  };
}

function parsed(text: string): ExactJson | undefined {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}
