import type { ObjectName } from "#lib/domain/rewrite/run.ts";
import { formatCountOf } from "#lib/domain/wording/format-count.ts";
import { fullName } from "#lib/domain/wording/full-name.ts";

/** The API server empties or keeps the entries anyway, or carried over they would not own the same fields. */
export type Unkeepable = "unkeepable" | "other-schema";

/** Objects that a rewrite that keeps ownership left with managedFields entries of a version that is gone. */
export interface LeftEntries {
  /** `why` the object has such entries still; null if it has none. */
  note(object: ObjectName, why: Unkeepable | null): void;
  /** What the end of the work says of them; null if there are none. */
  sentence(): string | null;
}

const REASONS: Record<Unkeepable, string> = {
  unkeepable:
    "their values don't fit the storage version's schema. Change the values or the schema, then clean the entries on the definition's page.",
  "other-schema":
    "the storage version's schema has other list types, map keys, or map types for fields that the entries own. " +
    "Clean the entries on the definition's page: that says which fields are no longer owned.",
};

export function leftEntries(): LeftEntries {
  // Each object once, though several passes may meet it.
  const left = new Map<string, Unkeepable>();
  const sentenceFor = (why: Unkeepable) => {
    const objects = [...left.values()].filter((one) => one === why).length;
    if (objects === 0) return [];
    const which = `The managedFields of ${formatCountOf(objects, "object")} still name a version that is gone`;
    return [`${which}, so server-side apply fails: ${REASONS[why]}`];
  };
  return {
    note(object, why) {
      if (why) left.set(fullName(object), why);
      else left.delete(fullName(object));
    },
    sentence: () => [...sentenceFor("unkeepable"), ...sentenceFor("other-schema")].join(" ") || null,
  };
}
