import type { Crd } from "#lib/domain/definition/crd.ts";
import { type ExactJson, exactProperty, isExactObject } from "#lib/domain/exact-json/exact-json.ts";
import { fieldsOfSchema } from "./schema-part.ts";

/** The displayed parts of a metadata.managedFields entry. */
export interface ManagedFieldsEntry {
  manager: string;
  operation: string;
  version: string;
  subresource: string;
}

/** The entries of an object; malformed parts are empty. */
export function managedFieldsEntries(managedFields: ExactJson | undefined): ManagedFieldsEntry[] {
  if (!Array.isArray(managedFields)) return [];
  return managedFields.map((entry) => ({
    manager: textOf(entry, "manager"),
    operation: textOf(entry, "operation"),
    version: versionOf(entry),
    subresource: textOf(entry, "subresource"),
  }));
}

/** The manager whose entry the API server merges the oldest ones into: apimachinery/pkg/util/managedfields/fieldmanager.go. */
const MERGED = "ancient-changes";

/** The entries of `before` whose manager, operation and subresource have fewer entries in `after`, whatever their version. */
export function lostEntries(before: readonly ExactJson[], after: readonly ExactJson[]): ExactJson[] {
  const left = Map.groupBy(after, ownerKey);
  return before.filter((entry) => !left.get(ownerKey(entry))?.pop());
}

/** What an entry has in common with those of the same manager at other versions. */
export function ownerKey(entry: ExactJson): string {
  return JSON.stringify(["manager", "operation", "subresource"].map((property) => textOf(entry, property)));
}

/**
 * Whether the API server merged entries, of more than ten whose operation is Update, so that some managers have lost theirs.
 * Source: apimachinery/pkg/util/managedfields/internal/capmanagers.go.
 */
export function hasMerged(before: readonly ExactJson[], after: readonly ExactJson[]): boolean {
  return withoutMerged(after).length < after.length && lostEntries(before, after).length > 0;
}

/** The entries without the one that others were merged into. */
export function withoutMerged(entries: readonly ExactJson[]): ExactJson[] {
  return entries.filter((entry) => textOf(entry, "manager") !== MERGED);
}

/**
 * The entries without the one that the API server adds before the first server-side apply to an object without entries, which owns every
 * field; unless `listed` has one, too. Source: apimachinery/pkg/util/managedfields/internal/skipnonapplied.go.
 */
export function withoutFirstApply(entries: readonly ExactJson[], listed: readonly ExactJson[]): ExactJson[] {
  const isFirst = (entry: ExactJson) => textOf(entry, "manager") === "before-first-apply" && textOf(entry, "operation") === "Update";
  return listed.some(isFirst) ? [...entries] : entries.filter((entry) => !isFirst(entry));
}

/** Whether the API server has added that entry, because there were none when somebody applied the object. */
export function hasFirstApply(entries: readonly ExactJson[]): boolean {
  return withoutFirstApply(entries, []).length < entries.length;
}

/** Whether an object that had the `listed` entries has had none since, though somebody may have applied it by now. */
export function wereEmptied(listed: readonly ExactJson[], now: readonly ExactJson[]): boolean {
  return listed.length > 0 && (now.length === 0 || (hasFirstApply(now) && !hasFirstApply(listed)));
}

/**
 * The entry of `entries` for the same manager's server-side applies as `entry`, at another version; undefined if there is none. The API
 * server keeps only one of them, the last it gets. Source: apimachinery/pkg/util/managedfields/internal/managedfields.go.
 */
export function applyAtOtherVersion(entry: ExactJson, entries: readonly ExactJson[]): ExactJson | undefined {
  if (textOf(entry, "operation") !== "Apply") return undefined;
  const [owner, apiVersion] = [ownerKey(entry), textOf(entry, "apiVersion")];
  return entries.find((other) => ownerKey(other) === owner && textOf(other, "apiVersion") !== apiVersion);
}

/** metadata.managedFields of an object; an empty list when it has none. */
export function managedFieldsOf(object: ExactJson): ExactJson[] {
  const entries = exactProperty(exactProperty(object, "metadata"), "managedFields");
  return Array.isArray(entries) ? entries : [];
}

/**
 * managedFields with the entries selected by `isOld` moved to another version of the group. Field ownership stays the same, but for what
 * lostByRelabeling finds and what the version's `schema`, if known, prunes; no entry names the old version. Merges with the manager's
 * entry at that version, if any, because the API server keeps only one entry per manager, operation, version, and subresource. An entry
 * that would own nothing is left out, unless it is the only one: the API server doesn't take an empty list.
 */
export function carryOver(
  entries: readonly ExactJson[],
  isOld: (version: string) => boolean,
  { apiVersion, schema }: { apiVersion: string; schema?: ExactJson | undefined },
): ExactJson[] {
  const fieldsOf = (entry: ExactJson) => {
    const fields = exactProperty(entry, "fieldsV1");
    return fields === undefined || schema === undefined ? fields : fieldsOfSchema(fields, schema);
  };
  const kept = new Map<string, ExactJson[]>();
  const emptied: ExactJson[] = [];
  for (const entry of entries) {
    const isCarried = isExactObject(entry) && isOld(versionOf(entry));
    const fieldsV1 = isCarried ? fieldsOf(entry) : undefined;
    const carried = isCarried ? { ...entry, apiVersion, ...(fieldsV1 && { fieldsV1 }) } : entry;
    if (fieldsV1 === null) {
      emptied.push(carried);
      continue;
    }
    const key = JSON.stringify(["manager", "operation", "apiVersion", "subresource"].map((property) => textOf(carried, property)));
    const same = kept.get(key);
    if (same) same.push(carried);
    else kept.set(key, [carried]);
  }
  return kept.size > 0 ? [...kept.values()].map(joinEntries) : emptied.slice(0, 1);
}

/**
 * Whether entries of this version may be relabeled to the storage version, apart from what lostByRelabeling finds. Field paths are not
 * converted. Without a webhook, values have the same place at every version; with one, the API server converts entries of known versions,
 * so only entries of removed versions qualify.
 */
export function mayCarryOver(crd: Pick<Crd, "versions" | "conversion">, version: string): boolean {
  const known = crd.versions.find(({ name }) => name === version);
  if (known?.storage) return false;
  return known === undefined || crd.conversion.strategy === "None";
}

/** Whether it is the entry that the manager's updates left, not its server-side applies. */
export function isUpdateOf(manager: string, entry: ExactJson): boolean {
  return textOf(entry, "manager") === manager && textOf(entry, "operation") === "Update";
}

/** One entry with the fields of all, which are of one manager. All at once: one by one, each would copy all that was joined before. */
export function joinEntries(entries: readonly ExactJson[]): ExactJson {
  const [first = null] = entries;
  const objects = entries.filter(isExactObject);
  if (objects.length < 2 || !isExactObject(first)) return first;
  const newest = objects.reduce((one, other) => (textOf(one, "time") > textOf(other, "time") ? one : other));
  return { ...newest, fieldsV1: joinSets(objects.map((entry) => exactProperty(entry, "fieldsV1") ?? {})) };
}

// A set of fields is an object of objects: https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta/ (FieldsV1).
function joinSets(sets: readonly ExactJson[]): ExactJson {
  const [first = {}, ...others] = sets;
  if (others.length === 0 || !isExactObject(first)) return first;
  const members = new Map<string, ExactJson[]>();
  for (const [key, fields] of sets.filter(isExactObject).flatMap((set) => Object.entries(set))) {
    const same = members.get(key);
    if (same) same.push(fields);
    else members.set(key, [fields]);
  }
  return Object.fromEntries(members.entries().map(([key, ofKey]) => [key, joinSets(asMembers(ofKey))]));
}

// An empty set means the field itself, written as "." next to inner fields.
function asMembers(sets: ExactJson[]): ExactJson[] {
  const isEmpty = (fields: ExactJson) => isExactObject(fields) && Object.keys(fields).length === 0;
  return sets.every(isEmpty) ? sets : sets.map((set) => (isEmpty(set) ? { ".": {} } : set));
}

function versionOf(entry: ExactJson): string {
  const apiVersion = textOf(entry, "apiVersion");
  return apiVersion.slice(apiVersion.lastIndexOf("/") + 1);
}

function textOf(entry: ExactJson, property: string): string {
  const value = exactProperty(entry, property);
  return typeof value === "string" ? value : "";
}
