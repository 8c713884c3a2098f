import { type Crd, storageVersion } from "#lib/domain/definition/crd.ts";
import { unseenVersions } from "#lib/domain/definition/stored-versions.ts";
import { type ExactJson, exactProperty, exactText, isExactObject } from "#lib/domain/exact-json/exact-json.ts";
import { isAtomic } from "#lib/domain/objects/lost-by-relabeling.ts";
import { managedFieldsEntries, managedFieldsOf } from "#lib/domain/objects/managed-fields.ts";
import { mentionsKeyword } from "#lib/domain/objects/mentions-keyword.ts";
import { isOfEveryObject, type Schema, schemaPart } from "#lib/domain/objects/schema-part.ts";
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

/** Each object is compared with the schemas of all, in one turn. */
const MOST_VERSIONS = 50;

/**
 * Tells of an object, as a read at the storage version shows it, whether a write that changes nothing leaves all of it as it is, at every
 * version and in its managedFields, so that nobody has to try. False wherever that isn't certain. Null if it can't be told of any object of
 * this definition: a webhook converts, a version shows what the storage version doesn't, or there are defaults, which a read shows whether
 * they are stored or not. It says nothing about admission, or about whether the API server would accept the write.
 */
export function unchangedByWrite(crd: Crd, { schemaOf, keepsUnlisted }: Schemas): ((object: ExactJson) => boolean) | null {
  const storage = storageVersion(crd);
  const schema = storage && schemaOf(storage.name);
  if (
    !schema ||
    keepsUnlisted ||
    crd.versions.length > MOST_VERSIONS ||
    crd.conversion.strategy !== "None" ||
    unseenVersions(crd).length > 0
  )
    return null;
  if (!crd.versions.every(({ name }) => containsSchema(schema, schemaOf(name)))) return null;
  if (mentionsKeyword(schema, ["default", "x-kubernetes-embedded-resource"])) return null;
  const served = new Map<string, ExactJson>();
  for (const version of crd.versions) {
    const own = schemaOf(version.name);
    if (version.served && own !== undefined) served.set(`${crd.group}/${version.name}`, own);
  }
  return (object) => {
    const metadata = exactProperty(object, "metadata");
    // The API server ends a deletion that waits for nothing, and clears what only old releases set.
    if (exactProperty(metadata, "deletionTimestamp") !== undefined || exactProperty(metadata, "selfLink") !== undefined) return false;
    if (!hasDistinctItems(metadata)) return false;
    const entries = managedFieldsOf(object);
    if (!entries.every(isWellFormed) || !areDistinct(entries)) return false;
    const named = entries.map((entry) => served.get(String(exactProperty(entry, "apiVersion"))));
    // The API server compares the object at each version that an entry names.
    const schemas = new Set([schema, ...named]);
    if (![...schemas].every((one) => one !== undefined && fitsSchema(object, one))) return false;
    const isWhole = entries.every((entry, index) => ownsNoPart(exactProperty(entry, "fieldsV1"), named[index], true));
    return isWhole && hiddenFields([object], crd, schemaOf)?.length === 0;
  };
}

/** The API server can't compare the metadata of an object that names a finalizer or an owner twice, which it may have accepted. */
function hasDistinctItems(metadata: ExactJson | undefined): boolean {
  const listed = (name: string) => {
    const items = exactProperty(metadata, name);
    return Array.isArray(items) ? items : [];
  };
  const owners = listed("ownerReferences").map((owner) => exactProperty(owner, "uid") ?? null);
  return [listed("finalizers"), owners].every((items) => new Set(items.map(exactText)).size === items.length);
}

/** Whether no entry owns part of a list or map that the schema calls atomic: the next write gives its owner all of it. */
function ownsNoPart(fields: ExactJson | undefined, schema: Schema, isRoot: boolean): boolean {
  if (!isExactObject(fields)) return true;
  return Object.entries(fields).every(([key, inner]) => {
    if (key === "." || isOfEveryObject(schema, isRoot, key)) return true;
    const part = schemaPart(schema, key);
    const isPart = part !== undefined && isAtomic(part) && isExactObject(inner) && Object.keys(inner).length > 0;
    return !isPart && ownsNoPart(inner, part, false);
  });
}

/** Whether the API server can read the entry, and keeps it: one that owns nothing goes with the next write. */
function isWellFormed(entry: ExactJson): boolean {
  const [operation, fields] = [exactProperty(entry, "operation"), exactProperty(entry, "fieldsV1")];
  return (operation === "Apply" || operation === "Update") && exactProperty(entry, "fieldsType") === "FieldsV1" && hasFields(fields);
}

function hasFields(fields: ExactJson | undefined): boolean {
  return isExactObject(fields) && Object.keys(fields).some((key) => key !== ".") && Object.entries(fields).every(isField);
}

/** Source of the keys: structured-merge-diff, fieldpath/serialize-pe.go. */
function isField([key, inner]: [string, ExactJson]): boolean {
  if (!isExactObject(inner)) return false;
  // Nobody owns managedFields; a direct write to etcd may say so.
  if (key === "f:managedFields") return false;
  const isKey = key === "." || /^(f:.|i:\d+$)/.test(key) || (/^(v:|k:\{)/.test(key) && isJson(key.slice(2)));
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
