import type { Connection } from "#lib/cluster/connection/connection.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { CustomObject } from "#lib/contract/objects/custom-object.ts";
import { type ExactJson, ExactNumber, exactProperty, isExactObject, NestedTooDeep } from "#lib/domain/exact-json/exact-json.ts";
import { fieldSetPaths } from "#lib/domain/objects/field-path.ts";
import { managedFieldsEntries, managedFieldsOf } from "#lib/domain/objects/managed-fields.ts";
import type { ObjectName } from "#lib/domain/rewrite/run.ts";
import type { CustomResource } from "./custom-objects.ts";
import { readObject } from "./custom-objects.ts";

/**
 * One object at a version, as its page shows it. The text leaves out managedFields, which come separately.
 * @throws AppError not_found, or cluster_rejected if it is nested too deep.
 */
export async function readCustomObject(
  connection: Connection,
  resource: CustomResource,
  object: ObjectName,
  { version, signal }: { version: string; signal: AbortSignal },
): Promise<CustomObject> {
  const json = await readObject(connection, resource, version, object, { signal }).catch((error: unknown) => {
    if (!(error instanceof NestedTooDeep)) throw error;
    throw new AppError("cluster_rejected", `${object.name} can't be shown. ${error.message}`, { nextStep: "Read it with kubectl." });
  });
  const metadata = exactProperty(json, "metadata");
  const fields = managedFieldsOf(json);
  return {
    ...object,
    version,
    resourceVersion: textOf(metadata, "resourceVersion") ?? "",
    uid: textOf(metadata, "uid") ?? "",
    text: indented(withoutManagedFields(json), ""),
    managedFields: managedFieldsEntries(fields).map((entry, index) => ({
      ...entry,
      time: textOf(fields[index], "time"),
      fields: fieldSetPaths(exactProperty(fields[index], "fieldsV1")),
    })),
    asOf: new Date().toISOString(),
  };
}

function withoutManagedFields(json: ExactJson): ExactJson {
  const metadata = exactProperty(json, "metadata");
  if (!isExactObject(json) || !isExactObject(metadata)) return json;
  const { managedFields: _, ...rest } = metadata;
  return { ...json, metadata: rest };
}

// JSON.stringify would round numbers that JavaScript can't represent.
function indented(value: ExactJson, indent: string): string {
  const deeper = `${indent}  `;
  if (value instanceof ExactNumber) return value.text;
  if (Array.isArray(value)) {
    return value.length === 0 ? "[]" : `[\n${value.map((item) => deeper + indented(item, deeper)).join(",\n")}\n${indent}]`;
  }
  if (!isExactObject(value)) return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, item]) => `${deeper}${JSON.stringify(key)}: ${indented(item, deeper)}`);
  return entries.length === 0 ? "{}" : `{\n${entries.join(",\n")}\n${indent}}`;
}

function textOf(value: ExactJson | undefined, key: string): string | null {
  const text = exactProperty(value, key);
  return typeof text === "string" ? text : null;
}
