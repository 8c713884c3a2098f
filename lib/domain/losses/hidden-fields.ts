import type { Crd, CrdVersion } from "#lib/domain/definition/crd.ts";
import { type ExactJson, exactProperty, isExactObject } from "#lib/domain/exact-json/exact-json.ts";
import { fieldPath, stepOf } from "#lib/domain/objects/field-path.ts";
import { managedFieldsOf } from "#lib/domain/objects/managed-fields.ts";
import { isOfEveryObject, schemaPart } from "#lib/domain/objects/schema-part.ts";
import { memberOf } from "#lib/domain/objects/unlike-fields.ts";
import { formatCountOf } from "#lib/domain/wording/format-count.ts";

/** A version's schema of one place in the object. */
interface VersionSchema {
  version: CrdVersion;
  schema: ExactJson;
}

/** The same place in the schemas of the versions that have it, and in the object as each read shows it. */
interface Place {
  known: readonly VersionSchema[];
  values: readonly ExactJson[];
}

/** A field that etcd may hold and no read shows. `lackedBy`: the version whose schema hides it; null if no served version has it. */
export interface HiddenField {
  path: string;
  lackedBy: string | null;
}

/**
 * The fields that managedFields of an object name and that no read shows, so nobody sees whether etcd still has them. `shown`: the object
 * as read at the storage version first, then at others. No served version's schema has such a field; or, where nothing but apiVersion is
 * converted, a version at which the object may be stored lacks it: the API server prunes what it reads from etcd by that version's schema
 * before it converts. None if a served version has no schema, and so prunes nothing; entries of versions that the definition doesn't have
 * tell nothing.
 */
export function hiddenFields(
  shown: readonly [ExactJson, ...ExactJson[]],
  { group, versions, conversion }: Pick<Crd, "group" | "versions" | "conversion">,
  schemaOf: (version: string) => ExactJson | undefined,
): HiddenField[] {
  const known = versions.flatMap((version) => {
    const schema = schemaOf(version.name);
    return schema === undefined ? [] : [{ version, schema }];
  });
  if (versions.some((version) => version.served && !known.some((one) => one.version === version))) return [];
  const names = new Set(versions.map(({ name }) => `${group}/${name}`));
  const hidden = new Map<string, HiddenField>();
  const add = (field: HiddenField) => void hidden.set(field.path, field);
  for (const entry of managedFieldsOf(shown[0])) {
    const apiVersion = exactProperty(entry, "apiVersion");
    if (typeof apiVersion !== "string" || !names.has(apiVersion)) continue;
    const writtenAt = apiVersion.slice(group.length + 1);
    visit(exactProperty(entry, "fieldsV1"), { known, values: shown }, "", { isConverted: conversion.strategy !== "None", writtenAt, add });
  }
  return [...hidden.values()];
}

/** Why the losses of an object with these hidden fields are unknown, and what to do. */
export function hiddenWords([first, ...rest]: readonly [HiddenField, ...HiddenField[]]): string {
  const more = rest.length > 0 ? ` and ${formatCountOf(rest.length, "other field")}` : "";
  const [them, they] = rest.length > 0 ? ["them", "they are"] : ["it", "it is"];
  const [why, where] =
    first.lackedBy === null
      ? [`no served version's schema has ${them}`, "a schema"]
      : [`the schema of ${first.lackedBy}, at which the object may be stored, hides ${them}`, "that schema"];
  return (
    `managedFields name ${first.path}${more}, but ${why}. The write deletes ${them} from etcd if ${they} still stored. ` +
    `Add ${them} to ${where} to see, or accept losses unseen in a rewrite.`
  );
}

interface Visiting {
  isConverted: boolean;
  /** The version that the entry names. */
  writtenAt: string;
  add: (field: HiddenField) => void;
}

function visit(fields: ExactJson | undefined, { known, values }: Place, outer: string, visiting: Visiting): void {
  if (!isExactObject(fields)) return;
  for (const [key, inner] of Object.entries(fields)) {
    if (key === "." || known.some(({ schema }) => isOfEveryObject(schema, outer === "", key))) continue;
    const isField = key.startsWith("f:");
    const path = fieldPath(outer, stepOf(key));
    const having = known.flatMap(({ version, schema }) => {
      const part = schemaPart(schema, key);
      return part === undefined ? [] : [{ version, schema: part }];
    });
    const part = { known: having, values: values.map((value) => memberOf(value, key)).filter((value) => value !== undefined) };
    // Only fields are pruned: an item that has none stays in its list.
    const lackedBy = isField ? hiddenBy(known, having, visiting) : undefined;
    if (lackedBy !== undefined && part.values.length === 0) visiting.add({ path, lackedBy });
    else if (having.some(({ version }) => version.served) || !isField) visit(inner, part, path, visiting);
  }
}

/** What may hide a field that no read shows, as `lackedBy` tells; undefined if nothing does. */
function hiddenBy(known: Place["known"], having: Place["known"], { isConverted, writtenAt }: Visiting): string | null | undefined {
  if (!having.some(({ version }) => version.served)) return null;
  if (isConverted) return undefined;
  const lacking = known.filter(({ version }) => !having.some((one) => one.version === version)).map(({ version }) => version);
  const storage = lacking.find((version) => version.storage);
  if (storage === undefined) return lacking[0]?.name;
  // An earlier rewrite may have dropped what only old versions have. What the entry's own version lacks, it had when that was written.
  return lacking.some(({ name }) => name === writtenAt) ? storage.name : undefined;
}
