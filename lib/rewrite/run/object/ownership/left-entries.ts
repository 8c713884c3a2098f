import { randomUUID } from "node:crypto";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { ExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { FIELD_MANAGER } from "#lib/domain/objects/own-entries.ts";
import type { ObjectName } from "#lib/domain/rewrite/run.ts";
import { formatCountOf } from "#lib/domain/wording/format-count.ts";
import { fullName } from "#lib/domain/wording/full-name.ts";

/**
 * The API server empties or keeps the entries anyway; carried over, they would not own the same fields; it would merge some; admission
 * would change other fields with that write; or the write is refused. In this order, the end of the work tells them.
 */
const whyLeft = ["unkeepable", "other-schema", "too-many", "admission", "refused"] as const;
export type Unkeepable = (typeof whyLeft)[number];

/** Objects that a rewrite that keeps ownership left with managedFields entries of a version that is gone. */
export interface LeftEntries {
  /** `why` the object has such entries still; null if it has none. */
  note(object: ObjectName, why: Unkeepable | null): void;
  /** Whether this run has found that the object keeps such entries. */
  has(object: ObjectName): boolean;
  /** What the end of the work says of them; null if there are none. */
  sentence(): string | null;
}

const REASONS: Record<Unkeepable, string> = {
  unkeepable:
    "their values don't fit the storage version's schema. Change the values or the schema, then clean the entries on the definition's page.",
  "other-schema":
    "the storage version's schema has other list types, map keys, or map types for fields that the entries own. " +
    "Clean the entries on the definition's page: that says which fields are no longer owned.",
  "too-many": "they have ten managers, which is the most that the API server keeps. Clean the entries on the definition's page.",
  admission:
    "a webhook or policy would change other fields with the write that carries them over. Exempt crdshift's user from it, then rewrite again.",
  refused: "the write that carries them over was refused. Clean the entries on the definition's page: that says why.",
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
    has: (object) => left.has(fullName(object)),
    sentence: () => whyLeft.flatMap(sentenceFor).join(" ") || null,
  };
}

/** Objects whose managedFields still name crdshift: a write stored defaults, which made it their owner, or had to change something. */
export interface OwnEntries {
  /** The object was written, and no answer tells whether it has such an entry. */
  unknown(object: ObjectName): void;
  left(object: ObjectName): void;
  none(object: ObjectName): void;
  /** What the end of the work says of them; null if there are none. */
  sentence(): string | null;
}

/** An entry of crdshift's that owns nothing. The API server doesn't keep one of an apply. */
export function emptyEntry({ group }: Pick<Crd, "group">, version: string): ExactJson {
  const time = `${new Date().toISOString().slice(0, -5)}Z`;
  const apiVersion = `${group}/${version}`;
  // An annotation that no object has. With the same one as an entry that was left, the write would only change a time, and so nothing.
  const fieldsV1 = { "f:metadata": { "f:annotations": { [`f:crdshift.dev/rewriting-${randomUUID()}`]: {} } } };
  return { manager: FIELD_MANAGER, operation: "Update", apiVersion, time, fieldsType: "FieldsV1", fieldsV1 };
}

export function ownEntries(): OwnEntries {
  /** Whether the entry was seen. */
  const left = new Map<string, boolean>();
  let isAnySeen = false;
  return {
    unknown: (object) => void left.set(fullName(object), left.get(fullName(object)) ?? false),
    left(object) {
      isAnySeen = true;
      left.set(fullName(object), true);
    },
    none: (object) => void left.delete(fullName(object)),
    sentence() {
      const seen = [...left.values()].filter(Boolean).length;
      // Where no write left one, no default was stored.
      const objects = isAnySeen ? left.size : 0;
      if (objects === 0) return null;
      const named = objects > seen ? `Up to ${formatCountOf(objects, "object")} may` : formatCountOf(objects, "object");
      const name = objects > seen || objects > 1 ? "name" : "names";
      return (
        `${named} still ${name} crdshift in managedFields, because of its writes. An apply that sets a default that they stored may ` +
        "conflict. The next rewrite removes these entries."
      );
    },
  };
}
