import type { ObjectMetadata } from "#lib/cluster/objects/object-pages.ts";
import type { Cleaning } from "#lib/contract/objects/managed-fields.ts";
import { managedFieldsEntries } from "#lib/domain/objects/managed-fields.ts";
import { hasOwn } from "#lib/domain/objects/own-entries.ts";
import { fullName } from "#lib/domain/wording/full-name.ts";
import type { ObjectRejection } from "#lib/rewrite/run/object/request/object-answer.ts";
import { type ListedObject, type MissingObjects, missingObjects } from "#lib/rewrite/run/object/still-listed.ts";
import { createRejectionGroups } from "#lib/rewrite/run/progress/rejection-groups.ts";
import type { CleanedObject } from "./clean-object.ts";

/** Counts what a cleaning did, each object once, however often its list restarts. */
export interface CleaningTally {
  /** A list begins, for the first time or again: all of its objects are counted, and what was cleaned before stays cleaned. */
  begin(): void;
  expect(total: number): void;
  /** An object was listed; `isDone` if it has no entry to clean. */
  listed(isDone: boolean): void;
  /** Returns how to count an object that the current list has, once it has ended. The list may have restarted by then. */
  counting(): (object: ObjectMetadata, end: CleanedObject) => void;
  /** Objects of the current list that requests didn't find. */
  missing(): MissingObjects;
  /** One that counts as gone is rejected. */
  rejectMissing(object: ListedObject, rejection: ObjectRejection): void;
  /** The API server emptied its managedFields, and they could not be put back. */
  emptied(object: ObjectMetadata): void;
  /** It ended before a write was answered: one more object may be cleaned. */
  countUnknown(): void;
  unknown(): number;
  /** What can't be undone: objects that were emptied, and objects of which managers own less than before, with the first of these. */
  losses(): { emptied: { objects: number; first: readonly string[] }; disowned: { objects: number; first: string } };
  /** Objects whose managedFields still name crdshift, because taking that entry back would have cost something. */
  ownLeft(): number;
  current(): Pick<Cleaning, "total" | "scanned" | "cleaned" | "takenBack" | "untouched" | "gone" | "rejected" | "rejections" | "examples">;
}

const MAX_EXAMPLES = 5;
const MAX_NAMED = 5;

export function createCleaningTally({ dryRun }: { dryRun: boolean }): CleaningTally {
  let total: number | null = null;
  let list = emptyList();
  let done = nothingDone();
  const emptied = { objects: 0, first: [] as string[] };
  let unknown = 0;
  return {
    begin() {
      list = emptyList();
      // A dry run stores nothing, so the same objects are tried again.
      if (dryRun) done = nothingDone();
    },
    expect(objects) {
      total = objects;
    },
    listed(isDone) {
      list.scanned += 1;
      if (isDone) list.untouched += 1;
    },
    counting() {
      const [ofList, ofAll] = [list, done];
      return (object, end) => {
        if (end.kind === "takenBack" && hasOwn(end.value.after)) {
          ofList.untouched += 1;
          ofAll.ownLeft.add(fullName(object));
          return;
        }
        ofList[end.kind] += 1;
        if (end.kind === "takenBack" || end.kind === "cleaned") ofAll.ownLeft.delete(fullName(object));
        if (end.kind === "takenBack") ofAll.takenBack += 1;
        if (end.kind === "rejected") ofList.rejections.add(object, end);
        if (end.kind === "gone") ofList.missing.add(object);
        if (end.kind === "cleaned") countCleaned(ofAll, object, end);
      };
    },
    missing: () => list.missing,
    rejectMissing(object, rejection) {
      list.gone -= 1;
      list.rejected += 1;
      list.rejections.add(object, rejection);
    },
    emptied(object) {
      emptied.objects += 1;
      if (emptied.first.length < MAX_NAMED) emptied.first.push(fullName(object));
    },
    countUnknown() {
      unknown += 1;
    },
    unknown: () => unknown,
    losses: () => ({ emptied, disowned: done.disowned }),
    ownLeft: () => done.ownLeft.size,
    current() {
      const { scanned, gone, rejected, rejections } = list;
      const { cleaned, takenBack, examples } = done;
      // The current list shows those that were written before it began as having no such entry.
      const untouched = Math.max(0, list.untouched - (cleaned - list.cleaned) - (takenBack - list.takenBack));
      return { total, scanned, cleaned, takenBack, untouched, gone, rejected, rejections: rejections.list(), examples: [...examples] };
    },
  };
}

function emptyList() {
  return {
    ...{ scanned: 0, cleaned: 0, takenBack: 0, untouched: 0, gone: 0, rejected: 0 },
    rejections: createRejectionGroups(),
    missing: missingObjects(),
  };
}

function nothingDone() {
  // By fullName: each restart of the list tries those again that keep the entry.
  const ownLeft = new Set<string>();
  return { cleaned: 0, takenBack: 0, ownLeft, examples: [] as Cleaning["examples"], disowned: { objects: 0, first: "" } };
}

function countCleaned(
  done: ReturnType<typeof nothingDone>,
  object: ObjectMetadata,
  { value: { before, after }, disowned }: Extract<CleanedObject, { kind: "cleaned" }>,
): void {
  done.cleaned += 1;
  if (hasOwn(after)) done.ownLeft.add(fullName(object));
  if (done.examples.length < MAX_EXAMPLES) {
    const { namespace, name } = object;
    done.examples.push({ object: { namespace, name }, before: managedFieldsEntries(before), after: managedFieldsEntries(after) });
  }
  if (disowned.length === 0) return;
  done.disowned.objects += 1;
  done.disowned.first ||= `${disowned.slice(0, MAX_NAMED).join(", ")} of ${fullName(object)}`;
}
