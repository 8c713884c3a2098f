import type { Crd } from "#lib/domain/definition/crd.ts";
import { type ExactJson, exactProperty, isExactObject } from "#lib/domain/exact-json/exact-json.ts";
import { fieldPath, stepOf } from "#lib/domain/objects/field-path.ts";
import { type FieldReader, fieldReader } from "#lib/domain/objects/field-reader.ts";
import { managedFieldsOf } from "#lib/domain/objects/managed-fields.ts";
import { isOfEveryObject, shownPart } from "#lib/domain/objects/schema-part.ts";
import { formatCountOf } from "#lib/domain/wording/format-count.ts";
import { type AlikeVersions, alikeVersions } from "./alike-versions.ts";

/** Of managedFields' keys, each with every schema: more than any real object has, and they take up to a fifth of a second. */
const MOST_LOOKS = 150_000;

/** What the schema of versions has of one place in the object. */
interface VersionsSchema {
  versions: AlikeVersions;
  schema: ExactJson;
}

/** The same place in the schemas of the versions that have it, and in the object as each read shows it. */
interface Place {
  known: readonly VersionsSchema[];
  /** The versions whose schema lacks what is around it, and so prunes all of it. */
  lost: readonly AlikeVersions[];
  values: readonly ExactJson[];
}

/** What hides a field: no served version has it; the schema of one version lacks it; or it can't be part of an embedded resource. */
type HiddenBy = { kind: "every-schema" } | { kind: "schema"; version: string } | { kind: "embedded" };

/** A field that etcd may hold and no read shows. */
export interface HiddenField {
  path: string;
  hiddenBy: HiddenBy;
}

/**
 * The fields that managedFields of an object name and that no read shows, so nobody sees whether etcd still has them. `shown`: the object
 * as read at the storage version first, then at others. No served version's schema has such a field; or the version that the entry names
 * no longer has it; or, where nothing but apiVersion is converted, another version at which the object may be stored lacks it: the API
 * server prunes what it reads from etcd by that version's schema before it converts. Or the field is in the metadata of an embedded
 * resource, where a read shows only what fits ObjectMeta. None if a served version has no schema, and so prunes nothing; entries of versions
 * that the definition doesn't have tell nothing. Null if there is too much to look at, so that nobody knows.
 */
export function hiddenFields(shown: readonly [ExactJson, ...ExactJson[]], crd: Definition, schemaOf: SchemaOf): HiddenField[] | null {
  return look(shown, crd, { schemaOf, isPart: false });
}

/**
 * Whether hiddenFields might find any with what other versions show, too, of an object as read at the storage version. Null as for
 * hiddenFields.
 */
export function mayHideFields(object: ExactJson, crd: Definition, schemaOf: SchemaOf): boolean | null {
  const found = look([object], crd, { schemaOf, isPart: true });
  return found && found.length > 0;
}

type Definition = Pick<Crd, "group" | "versions" | "conversion">;
type SchemaOf = (version: string) => ExactJson | undefined;

function look(
  shown: readonly [ExactJson, ...ExactJson[]],
  { group, versions, conversion }: Definition,
  { schemaOf, isPart }: { schemaOf: SchemaOf; isPart: boolean },
): HiddenField[] | null {
  const { alike, of, areServedKnown } = alikeVersions(versions, schemaOf);
  if (!areServedKnown) return [];
  const known = alike.map((one) => ({ versions: one, schema: one.schema }));
  const hidden = new Map<string, HiddenField>();
  const add = (field: HiddenField) => void hidden.set(field.path, field);
  const reader = fieldReader();
  const looks = { left: MOST_LOOKS };
  for (const entry of managedFieldsOf(shown[0])) {
    const apiVersion = exactProperty(entry, "apiVersion");
    if (typeof apiVersion !== "string" || !apiVersion.startsWith(`${group}/`)) continue;
    const writtenAt = apiVersion.slice(group.length + 1);
    const writer = of.get(writtenAt);
    if (writer === undefined) continue;
    visit(exactProperty(entry, "fieldsV1"), { known, lost: [], values: shown }, "", {
      ...{ reader, looks, isConverted: conversion.strategy !== "None", isPart },
      ...{ writtenAt, writer, add },
    });
  }
  return looks.left < 0 ? null : [...hidden.values()];
}

/** Why the losses of an object with these hidden fields are unknown, and what to do. */
export function hiddenWords([first, ...rest]: readonly [HiddenField, ...HiddenField[]]): string {
  const more = rest.length > 0 ? ` and ${formatCountOf(rest.length, "other field")}` : "";
  const [them, they] = rest.length > 0 ? ["them", "they are"] : ["it", "it is"];
  const [why, step] = reasonOf(first.hiddenBy, them);
  return `managedFields name ${first.path}${more}, but ${why}. The write deletes ${them} from etcd if ${they} still stored. ${step}`;
}

function reasonOf(by: HiddenBy, them: string): [why: string, step: string] {
  const put = (where: string) => `Add ${them} to ${where} to see, or accept losses unseen in a rewrite.`;
  switch (by.kind) {
    case "every-schema":
      return [`no served version's schema has ${them}`, put("a schema")];
    case "schema":
      return [`the schema of ${by.version}, at which the object may be stored, hides ${them}`, put("that schema")];
    case "embedded":
      return [
        `a schema marks the object around ${them} as an embedded resource, of which reads show only valid metadata`,
        "Take x-kubernetes-embedded-resource out of the schemas to see, or accept losses unseen in a rewrite.",
      ];
    default:
      return by satisfies never;
  }
}

interface Visiting {
  reader: FieldReader;
  /** How many there may still be. */
  looks: { left: number };
  isConverted: boolean;
  /** Other versions may show what these values lack. */
  isPart: boolean;
  /** The version that the entry names. */
  writtenAt: string;
  /** Those alike to it; null if its schema isn't known. */
  writer: AlikeVersions | null;
  add: (field: HiddenField) => void;
}

function visit(fields: ExactJson | undefined, { known, lost, values }: Place, outer: string, visiting: Visiting): void {
  if (!isExactObject(fields)) return;
  for (const [key, inner] of Object.entries(fields)) {
    if (key === ".") continue;
    visiting.looks.left -= known.length + lost.length;
    if (visiting.looks.left < 0) return;
    const isField = key.startsWith("f:");
    const path = fieldPath(outer, stepOf(key));
    if (known.some(({ schema }) => isOfEveryObject(schema, outer === "", key))) {
      // The object's own metadata never were anything else. Where the whole resource isn't shown, a schema or a webhook is the reason.
      if (outer !== "" && (values.length > 0 || visiting.isPart)) visitMetadata(inner, membersOf(values, key, visiting), path, visiting);
      continue;
    }
    const having: VersionsSchema[] = [];
    const lacking = [...lost];
    for (const { versions, schema } of known) {
      const part = shownPart(schema, key);
      if (part === undefined) lacking.push(versions);
      else having.push({ versions, schema: part });
    }
    // Only fields are pruned: an item that has none stays in its list.
    const part = { known: having, lost: isField ? lacking : lost, values: membersOf(values, key, visiting) };
    const by = isField ? hiddenBy(having, lacking, visiting) : null;
    if (by !== null && part.values.length === 0) visiting.add({ path, hiddenBy: by });
    else if (having.some(({ versions }) => versions.isServed) || !isField) visit(inner, part, path, visiting);
  }
}

/**
 * Finds what managedFields name of an embedded resource's metadata, apiVersion or kind, and no read shows: the API server leaves out what
 * doesn't fit ObjectMeta. Source: apiextensions-apiserver/pkg/apiserver/schema/objectmeta/coerce.go.
 */
function visitMetadata(fields: ExactJson | undefined, values: Place["values"], path: string, visiting: Visiting): void {
  const inner = isExactObject(fields) ? Object.entries(fields).filter(([key]) => key !== ".") : [];
  if (inner.length === 0 && values.length === 0) visiting.add({ path, hiddenBy: { kind: "embedded" } });
  for (const [key, within] of inner) {
    // Controllers send it as null, which isn't kept.
    if (key === "f:creationTimestamp") continue;
    visitMetadata(within, membersOf(values, key, visiting), fieldPath(path, stepOf(key)), visiting);
  }
}

function membersOf(values: Place["values"], key: string, { reader }: Visiting): ExactJson[] {
  return values.map((value) => reader.memberOf(value, key)).filter((value) => value !== undefined);
}

/** What may hide a field that no read shows; null if nothing does. */
function hiddenBy(having: Place["known"], lacking: Place["lost"], { isConverted, writtenAt, writer }: Visiting): HiddenBy | null {
  if (!having.some(({ versions }) => versions.isServed)) return { kind: "every-schema" };
  const isWrittenWithout = writer !== null && lacking.includes(writer);
  // A webhook may rename any field; what the entry's own version lacks, it had when that was written, and the webhook never gets to see.
  if (isConverted) return isWrittenWithout ? { kind: "schema", version: writtenAt } : null;
  const storage = lacking.find((versions) => versions.storage !== null)?.storage;
  if (!storage) return lacking[0] ? { kind: "schema", version: lacking[0].first } : null;
  // An earlier rewrite may have dropped what only old versions have.
  return isWrittenWithout ? { kind: "schema", version: storage } : null;
}
