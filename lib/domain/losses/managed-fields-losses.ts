import { type ExactJson, exactProperty } from "#lib/domain/exact-json/exact-json.ts";
import { shortText } from "#lib/domain/exact-json/short-text.ts";
import { quoted } from "#lib/domain/wording/quoted.ts";
import type { ObjectLoss } from "./losses.ts";

/** The path of a manager's entries in losses. */
export function ownershipPath(manager: string): string {
  return `metadata.managedFields[manager=${quoted(manager)}]`;
}

/** Lost managedFields entries by manager, whose next unforced server-side apply would conflict. */
export function managedFieldsLosses(before: ExactJson, after: ExactJson): ObjectLoss[] {
  // As many as there were: one at another version makes up for none that is gone.
  const kept = Map.groupBy(ownersOf(after), ({ key }) => key);
  const lost = ownersOf(before).filter(({ key }) => !kept.get(key)?.pop());
  const first = new Map(lost.toReversed().map(({ manager, entry }) => [manager, entry]));
  return [...new Set(lost.map(({ manager }) => manager))].map((manager) => ({
    kind: "managed-fields",
    path: ownershipPath(manager),
    before: shortText(first.get(manager) ?? null),
    after: null,
  }));
}

function ownersOf(object: ExactJson): { manager: string; key: string; entry: ExactJson }[] {
  const entries = exactProperty(exactProperty(object, "metadata"), "managedFields");
  if (!Array.isArray(entries)) return [];
  const text = (entry: ExactJson, property: string) => {
    const value = exactProperty(entry, property);
    return typeof value === "string" ? value : "";
  };
  return entries.map((entry) => ({
    manager: text(entry, "manager"),
    // Without the version, because an entry may be carried over to another one.
    key: JSON.stringify(["manager", "operation", "subresource"].map((property) => text(entry, property))),
    entry,
  }));
}
