import type { Connection } from "#lib/cluster/connection/connection.ts";
import { inLongAnswersTurn } from "#lib/cluster/transport/long-answers.ts";
import { requestBytes } from "#lib/cluster/transport/request.ts";
import { isAnswerTooLarge } from "#lib/cluster/transport/whole-answer.ts";
import type { CustomObject } from "#lib/contract/objects/custom-object.ts";
import type { ExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { indentedJson } from "#lib/domain/exact-json/indented-json.ts";
import { itemsAt, memberAt, rootOf, type Span, withoutMember } from "#lib/domain/exact-json/json-spans.ts";
import { fieldSetPaths } from "#lib/domain/objects/field-path.ts";
import { managedFieldsEntries } from "#lib/domain/objects/managed-fields.ts";
import type { ObjectName } from "#lib/domain/rewrite/run.ts";
import { readObjectMetadataText, readObjectText } from "./custom-objects.ts";
import { type CustomResource, objectPath } from "./object-path.ts";

/** Deeper and longer than what anyone reads on a page. An object may nest 10,000 levels deep. */
const SHOWN = { levels: 100, length: 1024 * 1024 };
/** Of an object's managedFields. Parsing more would hold up everyone else. */
const FIELDS_MAX_LENGTH = 256 * 1024;
/** What an API server keeps of updates is ten; nothing limits those that apply. */
const MAX_ENTRIES = 500;

/**
 * One object at a version, as its page shows it. The text leaves out managedFields, which come separately. What is too large to show is
 * null; of an object that is too large to read, only the metadata is read. The object is never parsed as a whole: its author chooses how
 * deep it nests and how many values it holds.
 * @throws AppError not_found, and cluster_rejected if even its metadata is too large to read.
 */
export async function readCustomObject(
  connection: Connection,
  resource: CustomResource,
  object: ObjectName,
  { version, signal }: { version: string; signal: AbortSignal },
): Promise<CustomObject> {
  const whole = await readObjectText(connection, resource, version, object, { signal }).catch((error: unknown) => {
    if (isAnswerTooLarge(error)) return null;
    throw error;
  });
  const json = whole ?? (await readObjectMetadataText(connection, resource, version, object, { signal }));
  return inLongAnswersTurn(json, connection, signal, () => ({ ...object, version, ...shownParts(json, whole !== null) }));
}

function shownParts(json: string, isWhole: boolean): Omit<CustomObject, keyof ObjectName | "version"> {
  const metadata = memberAt(json, rootOf(json), "metadata");
  if (metadata === null) throw new Error("The API server's answer has no metadata.");
  const owned = json.slice(metadata.from, metadata.to);
  const rest = withoutMember(owned, rootOf(owned), "managedFields");
  return {
    resourceVersion: textAt(json, metadata, "resourceVersion") ?? "",
    uid: textAt(json, metadata, "uid") ?? "",
    text: isWhole ? indentedJson(`${json.slice(0, metadata.from)}${rest}${json.slice(metadata.to)}`, SHOWN) : null,
    managedFields: shownManagedFields(json, memberAt(json, metadata, "managedFields")),
    asOf: new Date().toISOString(),
  };
}

function shownManagedFields(json: string, list: Span | null): CustomObject["managedFields"] {
  let left = FIELDS_MAX_LENGTH;
  return itemsAt(json, list)
    .slice(0, MAX_ENTRIES)
    .map((entry) => {
      const about = Object.fromEntries(
        ["manager", "operation", "apiVersion", "subresource"].map((key): [string, ExactJson] => [key, textAt(json, entry, key) ?? ""]),
      );
      const fields = memberAt(json, entry, "fieldsV1") ?? { from: 0, to: 0 };
      left -= fields.to - fields.from;
      return {
        ...(managedFieldsEntries([about])[0] ?? { manager: "", operation: "", version: "", subresource: "" }),
        time: textAt(json, entry, "time"),
        // They contain no numbers that JSON.parse could round.
        fields: left < 0 ? null : fieldSetPaths(fields.to === 0 ? undefined : JSON.parse(json.slice(fields.from, fields.to))),
      };
    });
}

function textAt(json: string, object: Span, key: string): string | null {
  const span = memberAt(json, object, key);
  return span !== null && json[span.from] === '"' ? JSON.parse(json.slice(span.from, span.to)) : null;
}

/** One object at a version as the API server gives it, in pieces as they arrive: however large, it takes no memory. */
export function downloadObject(
  connection: Connection,
  resource: CustomResource,
  object: ObjectName,
  { version, signal }: { version: string; signal: AbortSignal },
): AsyncGenerator<Uint8Array> {
  const path = objectPath(resource, version, object);
  return requestBytes(connection, { path, timeoutMs: 60_000, signal, dispatcher: connection.downloads() });
}
