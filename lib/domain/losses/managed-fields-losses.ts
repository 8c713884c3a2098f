import type { ExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { shortText } from "#lib/domain/exact-json/short-text.ts";
import { lostEntries, managedFieldsEntries, managedFieldsOf } from "#lib/domain/objects/managed-fields.ts";
import { givenBack, withoutOwn } from "#lib/domain/objects/own-entries.ts";
import { quoted } from "#lib/domain/wording/quoted.ts";
import type { ObjectLoss } from "./losses.ts";

/** The path of a manager's entries in losses. */
export function ownershipPath(manager: string): string {
  return `metadata.managedFields[manager=${quoted(manager)}]`;
}

/** Lost managedFields entries by manager, whose next unforced server-side apply would conflict. */
export function managedFieldsLosses(before: ExactJson, after: ExactJson): ObjectLoss[] {
  // As many as there were: one at another version makes up for none that is gone. Its own version doesn't count, as entries are carried over.
  const listed = managedFieldsOf(before);
  const lost = lostEntries(withoutOwn(listed), givenBack(listed, managedFieldsOf(after)));
  const byManager = Map.groupBy(lost, (entry) => managedFieldsEntries([entry])[0]?.manager ?? "");
  return [...byManager].map(([manager, [first = null]]) => ({
    kind: "managed-fields",
    path: ownershipPath(manager),
    before: shortText(first),
    after: null,
  }));
}
