import { type Crd, storageVersion } from "#lib/domain/definition/crd.ts";
import { unseenVersions } from "#lib/domain/definition/stored-versions.ts";
import { type ExactJson, exactProperty, isExactObject } from "#lib/domain/exact-json/exact-json.ts";
import { managedFieldsEntries, managedFieldsOf } from "#lib/domain/objects/managed-fields.ts";
import type { Schema } from "#lib/domain/objects/schema-part.ts";
import { containsSchema } from "./contains-schema.ts";
import { fitsSchema } from "./fits-schema.ts";
import { hiddenFields } from "./hidden-fields.ts";

interface Schemas {
  schemaOf: (version: string) => Schema;
  /** `spec.preserveUnknownFields`. */
  keepsUnlisted: boolean;
}

/** One more Update, and the API server merges the oldest: apimachinery/pkg/util/managedfields/internal/capmanagers.go. */
const MOST_UPDATES = 10;

/**
 * Tells of an object, as a read at the storage version shows it, whether a write that changes nothing leaves all of it as it is, at every
 * version and in its managedFields, so that nobody has to try. False wherever that isn't certain. Null if it can't be told of any object of
 * this definition: a webhook converts, a version shows what the storage version doesn't, or there are defaults, which a read shows whether
 * they are stored or not. It says nothing about admission, or about whether the API server would accept the write.
 */
export function unchangedByWrite(crd: Crd, { schemaOf, keepsUnlisted }: Schemas): ((object: ExactJson) => boolean) | null {
  const storage = storageVersion(crd);
  const schema = storage && schemaOf(storage.name);
  if (!schema || keepsUnlisted || crd.conversion.strategy !== "None" || unseenVersions(crd).length > 0) return null;
  if (!crd.versions.every(({ name }) => containsSchema(schema, schemaOf(name)))) return null;
  if (mentions(schema, ["default", "x-kubernetes-embedded-resource"])) return null;
  const served = new Map<string, ExactJson>();
  for (const version of crd.versions) {
    const own = schemaOf(version.name);
    if (version.served && own !== undefined) served.set(`${crd.group}/${version.name}`, own);
  }
  return (object) => {
    const metadata = exactProperty(object, "metadata");
    // The API server ends a deletion that waits for nothing, and clears what only old releases set.
    if (exactProperty(metadata, "deletionTimestamp") !== undefined || exactProperty(metadata, "selfLink") !== undefined) return false;
    const entries = managedFieldsOf(object);
    if (!entries.every(isWellFormed) || !areDistinct(entries)) return false;
    const named = entries.map((entry) => served.get(String(exactProperty(entry, "apiVersion"))));
    // The API server compares the object at each version that an entry names.
    const schemas = new Set([schema, ...named]);
    return [...schemas].every((one) => one !== undefined && fitsSchema(object, one)) && hiddenFields([object], crd, schemaOf).length === 0;
  };
}

/** Whether the API server can read the entry, and keeps it: one that owns nothing goes with the next write. */
function isWellFormed(entry: ExactJson): boolean {
  const [operation, fields] = [exactProperty(entry, "operation"), exactProperty(entry, "fieldsV1")];
  return (operation === "Apply" || operation === "Update") && exactProperty(entry, "fieldsType") === "FieldsV1" && hasFields(fields);
}

function hasFields(fields: ExactJson | undefined): boolean {
  return isExactObject(fields) && Object.keys(fields).length > 0 && Object.entries(fields).every(isField);
}

/** Source of the keys: structured-merge-diff, fieldpath/serialize-pe.go. */
function isField([key, inner]: [string, ExactJson]): boolean {
  if (!isExactObject(inner)) return false;
  const isKey = key === "." || /^(f:.|i:\d+$)/.test(key) || (/^[kv]:/.test(key) && isJson(key.slice(2)));
  return isKey && Object.entries(inner).every(isField);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether the API server keeps the entries apart, and merges none of them. Source: …/managedfields/internal/managedfields.go. */
function areDistinct(entries: readonly ExactJson[]): boolean {
  const all = managedFieldsEntries([...entries]);
  // One that applies is the same manager at any version.
  const identities = new Set(all.map((entry) => JSON.stringify(entry.operation === "Apply" ? { ...entry, version: "" } : entry)));
  return identities.size === all.length && all.filter(({ operation }) => operation === "Update").length <= MOST_UPDATES;
}

function mentions(schema: Schema, keywords: readonly string[]): boolean {
  if (!isExactObject(schema)) return false;
  if (keywords.some((keyword) => exactProperty(schema, keyword) !== undefined)) return true;
  const properties = exactProperty(schema, "properties");
  const fields = isExactObject(properties) ? Object.values(properties) : [];
  return [exactProperty(schema, "items"), exactProperty(schema, "additionalProperties"), ...fields].some((inner) =>
    mentions(inner, keywords),
  );
}
