import { type ExactJson, exactProperty, isExactObject } from "#lib/domain/exact-json/exact-json.ts";
import { isUpdateOf, joinEntries, ownerKey } from "./managed-fields.ts";

/** By which the API server knows crdshift's writes. */
export const FIELD_MANAGER = "crdshift";

/** The managedFields without the entries of crdshift's own writes, which are nobody's wish, whoever left them and when. */
export function withoutOwn(entries: readonly ExactJson[]): ExactJson[] {
  return entries.filter((entry) => !isOwn(entry));
}

export function hasOwn(entries: readonly ExactJson[]): boolean {
  return entries.some(isOwn);
}

/** managedFields from which someone else has removed crdshift's own entry, with that entry as it was `before`: nobody else got what it had taken. */
export function withOwnOf(before: readonly ExactJson[], entries: readonly ExactJson[]): ExactJson[] {
  return [...withoutOwn(entries), ...before.filter(isOwn)];
}

function isOwn(entry: ExactJson): boolean {
  return isUpdateOf(FIELD_MANAGER, entry);
}

/**
 * managedFields as they are after one of crdshift's writes, `listed` before it, without its own entry: what that entry has taken goes back to
 * whoever owned it. A default that a write stores in an atomic list, map, or object changes its value, and the API server moves such a field
 * from all its owners to whoever changed it (structured-merge-diff/merge/update.go, Update).
 */
export function givenBack(listed: readonly ExactJson[], entries: readonly ExactJson[]): ExactJson[] {
  const left = new Map(withoutOwn(entries).map((entry) => [keyOf(entry), entry]));
  for (const before of withoutOwn(listed)) {
    for (const own of entries.filter(isOwn)) {
      const fields = exactProperty(own, "fieldsV1");
      const back = inBoth(exactProperty(before, "fieldsV1"), fields, { ofWhole: apiVersionOf(before) === apiVersionOf(own) });
      if (back === null || !isExactObject(before)) continue;
      const now = left.get(keyOf(before));
      const owner = { ...before, fieldsV1: back };
      if (now === undefined) left.set(keyOf(before), owner);
      // Whoever has applied at another version since has said anew what is theirs.
      else if (apiVersionOf(now) === apiVersionOf(before)) left.set(keyOf(before), joinEntries([now, owner]));
    }
  }
  return [...left.values()];
}

/** The API server keeps one entry of a manager's applies, and one of its updates for each version (managedfields/internal/managedfields.go). */
function keyOf(entry: ExactJson): string {
  return JSON.stringify([ownerKey(entry), exactProperty(entry, "operation") === "Apply" ? null : apiVersionOf(entry)]);
}

function apiVersionOf(entry: ExactJson): ExactJson {
  return exactProperty(entry, "apiVersion") ?? null;
}

/**
 * The fields that are in both sets; null if there are none. With `ofWhole`, whoever owned a part of what was taken as a whole owns that: it
 * has become atomic since.
 */
function inBoth(one: ExactJson | undefined, other: ExactJson | undefined, { ofWhole }: { ofWhole: boolean }): ExactJson | null {
  if (!isExactObject(one) || !isExactObject(other)) return null;
  const fields: [string, ExactJson][] = [];
  for (const [key, inner] of Object.entries(one)) {
    const same = exactProperty(other, key);
    if (same === undefined) continue;
    // At another version, what its owner owns as a whole may have parts at crdshift's.
    const isOfOther = !ofWhole && isField(inner) && !hasInside(inner);
    const isInBoth = isOfOther || (isField(same) && (isField(inner) || (ofWhole && !hasInside(same))));
    const inside = inBoth(inner, same, { ofWhole });
    if (isInBoth) fields.push([key, inside === null ? {} : { ".": {}, ...(isExactObject(inside) && inside) }]);
    else if (inside !== null) fields.push([key, inside]);
  }
  return fields.length > 0 ? Object.fromEntries(fields) : null;
}

function hasInside(set: ExactJson): boolean {
  return isExactObject(set) && Object.keys(set).some((key) => key !== ".");
}

// An empty set means the field itself, written as "." next to inner fields.
function isField(set: ExactJson): boolean {
  return isExactObject(set) && (Object.keys(set).length === 0 || Object.hasOwn(set, "."));
}
