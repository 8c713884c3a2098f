import { z } from "zod";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { clusterAnswer } from "#lib/cluster/transport/cluster-answer.ts";
import { inLongAnswersTurn } from "#lib/cluster/transport/long-answers.ts";
import { type ClusterRequest, requestJson, requestText } from "#lib/cluster/transport/request.ts";
import { isAnswerTooLarge, nextLimit, OBJECT_MAX_BYTES, PAGE_MAX_BYTES } from "#lib/cluster/transport/whole-answer.ts";
import { type ExactJson, ExactNumber, exactProperty, parseObject, UnreadableJson } from "#lib/domain/exact-json/exact-json.ts";
import type { ObjectName } from "#lib/domain/rewrite/run.ts";
import { type CustomResource, collectionPath } from "./object-path.ts";
import { firstThatLists, isUnconvertible } from "./version-to-read.ts";

export interface ObjectMetadata extends ObjectName {
  uid: string;
  resourceVersion: string;
  /** Raised by each change of what it specifies. Null if the answer doesn't say. */
  generation: number | null;
  /** When its deletion began, which a finalizer holds, in ms since the epoch by an API server's clock. Null if it isn't being deleted. */
  deletionTimestamp: number | null;
  finalizers: string[];
  /** The managedFields entries: version, time in ms since the epoch, and manager. */
  writes: { version: string; at: number; manager: string; operation: string; subresource: string }[];
  /** The original managedFields, which contain no numbers. */
  managedFields: ExactJson[];
  /** The object itself, if the list was asked for whole objects. Nobody must keep it. */
  whole?: ExactJson;
}

export interface ObjectPage {
  objects: ObjectMetadata[];
  /** The list's, the same on every page unless the list had to continue inconsistently. */
  resourceVersion: string;
  next: string | null;
  /** The number of objects in the list; known on its first page. */
  total: number | null;
  /** The size of the answer. */
  bytes: number;
  /** The list restarted: discard the earlier pages. */
  restarted: boolean;
}

/** Wraps each request to wait and retry. A conversion failure is thrown at once unless `patient`. */
export type Attempt = <T>(request: () => Promise<T>, options: { patient: boolean }) => Promise<T>;

export interface ListOptions {
  version: string;
  signal: AbortSignal;
  runId?: string;
  attempt?: Attempt;
  /** Other served versions at which to name an object that can't be converted to `version`. */
  otherVersions?: readonly string[];
  /** Lists whole objects. Those of a page that crdshift can't read come without. */
  whole?: boolean;
}

/** What to accept to get a list without what its objects hold. */
export const LIST_AS_METADATA = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
/** The first page's. Metadata may be large: annotations and managedFields. */
const FIRST_LIMIT = 50;
/** In a row: whoever lists nothing where there is an object has another list. */
const MAX_UNNAMED = 3;
const MAX_RESTARTS = 3;

const text = z.string().optional();
const number = z.union([z.number(), z.instanceof(ExactNumber).transform((exact) => Number(exact.text))]);
const entrySchema = z.looseObject({ apiVersion: text, time: text, manager: text, operation: text, subresource: text });
const objectSchema = z.object({
  metadata: z.object({
    name: z.string(),
    namespace: z.string().default(""),
    uid: z.string().default(""),
    resourceVersion: z.string(),
    generation: number.nullable().default(null),
    deletionTimestamp: z.string().nullish(),
    finalizers: z.array(z.string()).default([]),
    managedFields: z.array(entrySchema).default([]),
  }),
});
const listSchema = z.object({
  metadata: z.object({ resourceVersion: z.string(), continue: z.string().optional(), remainingItemCount: number.optional() }),
  items: z.array(objectSchema).nullish(),
});

/**
 * One page of the objects' metadata at a version, or of the objects.
 * @throws AppError not_found if that version isn't served, and the errors of lists; 410 for an expired token; UnreadableJson for whole
 * objects that are too much to read.
 */
export async function listObjects(
  connection: Connection,
  resource: CustomResource,
  options: { version: string; limit: number; next?: string | null; signal: AbortSignal; runId?: string; whole?: boolean },
): Promise<Omit<ObjectPage, "restarted">> {
  const { version, limit, next, signal, runId, whole = false } = options;
  const query = new URLSearchParams({ limit: String(limit), ...(next && { continue: next }) });
  const request = {
    path: `${collectionPath(resource, version)}?${query}`,
    ...{ signal, timeoutMs: 60_000 },
    maxBytes: limit > 1 ? PAGE_MAX_BYTES : OBJECT_MAX_BYTES,
    ...(runId && { runId }),
  };
  const exact = whole ? await requestExact(connection, request) : null;
  const { json, bytes } = exact ?? (await requestJson(connection, { ...request, accept: LIST_AS_METADATA }));
  const { metadata, items } = listSchema.parse(json);
  const wholes = exactProperty(exact?.json, "items");
  const objects = (items ?? []).map((item, index) => {
    const own = Array.isArray(wholes) ? wholes[index] : undefined;
    return { ...toObjectMetadata(item), ...(own !== undefined && { whole: own }) };
  });
  return {
    ...{ objects, bytes },
    resourceVersion: metadata.resourceVersion,
    next: metadata.continue || null,
    // remainingItemCount is absent if nothing remains.
    total: next ? null : objects.length + (metadata.remainingItemCount ?? 0),
  };
}

async function requestExact(connection: Connection, request: ClusterRequest): Promise<{ json: ExactJson; bytes: number }> {
  const { text, bytes } = await requestText(connection, request);
  return { json: await inLongAnswersTurn(text, connection, request.signal, () => parseObject(text)), bytes };
}

/**
 * Every object's metadata, page by page, up to 500 objects or about 1.5 MiB each. After an expired token, the list continues with the
 * server's inconsistent one (which still covers every object that exists throughout), or restarts, at most three times. If a page can't
 * be converted, it is halved down to the object that breaks it. That object is then read at another version to get its name, and the
 * rest continues. If conversion fails for all objects, they come one by one, no faster than the consumer takes them. A page that is too
 * large is halved, too.
 */
export async function* objectPages(connection: Connection, resource: CustomResource, options: ListOptions): AsyncGenerator<ObjectPage> {
  const { attempt = (request) => request(), otherVersions = [], whole = false, ...list } = options;
  const cursor = { next: null as string | null, limit: FIRST_LIMIT, restarted: false, restarts: 0, whole };
  const page = (patient: boolean) =>
    attempt(() => listObjects(connection, resource, { ...list, limit: cursor.limit, next: cursor.next, whole: cursor.whole }), { patient });
  let unnamed = 0;
  const nameOne = () =>
    firstThatLists(otherVersions, (version) =>
      attempt(() => listObjects(connection, resource, { ...list, version, limit: 1, next: cursor.next }), { patient: false }),
    );
  for (;;) {
    try {
      const listed = await page(otherVersions.length === 0);
      // Before the page goes out: whoever gets it may empty it.
      cursor.limit = nextLimit(cursor.limit, { items: listed.objects.length, bytes: listed.bytes });
      cursor.whole = whole;
      yield { ...listed, restarted: cursor.restarted };
      if (!advance(cursor, listed.next)) return;
    } catch (error) {
      if ((isUnconvertible(error) || isAnswerTooLarge(error)) && cursor.limit > 1) {
        cursor.limit = Math.ceil(cursor.limit / 2);
        continue;
      }
      if (cursor.whole && (error instanceof UnreadableJson || isAnswerTooLarge(error))) {
        cursor.whole = false;
        continue;
      }
      if (isUnconvertible(error)) {
        const named = await nameOne();
        // An object that can't be converted exists, unless it was deleted meanwhile. Else that isn't the same list.
        if (named?.objects.length === 0 && unnamed < MAX_UNNAMED) {
          unnamed += 1;
          continue;
        }
        if (!named || named.objects.length === 0) throw error;
        unnamed = 0;
        yield { ...named, restarted: cursor.restarted };
        if (!advance(cursor, named.next)) return;
        continue;
      }
      const answer = clusterAnswer(error);
      if (answer?.status !== 410 || !cursor.next) throw error;
      cursor.next = answer.inconsistentContinue;
      if (cursor.next) continue;
      cursor.restarts += 1;
      cursor.restarted = true;
      if (cursor.restarts > MAX_RESTARTS) throw error;
    }
  }
}

/** About how many bytes of the page each of its objects has. */
export function bytesEach({ bytes, objects }: Pick<ObjectPage, "bytes" | "objects">): number {
  return Math.ceil(bytes / objects.length);
}

/**
 * Does it with each object and empties the page: whoever yields between two pages would otherwise hold megabytes until its reader asks for
 * more.
 */
export function takeEach(objects: ObjectMetadata[], take: (object: ObjectMetadata) => void): void {
  for (const object of objects) take(object);
  objects.length = 0;
}

function advance(cursor: { next: string | null; restarted: boolean }, next: string | null): boolean {
  Object.assign(cursor, { next, restarted: false });
  return next !== null;
}

/** The metadata of an object that was read, as a list has it. */
export function objectMetadataOf(object: ExactJson): ObjectMetadata {
  return toObjectMetadata(objectSchema.parse(object));
}

function toObjectMetadata({ metadata }: z.infer<typeof objectSchema>): ObjectMetadata {
  return {
    namespace: metadata.namespace,
    name: metadata.name,
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    generation: metadata.generation,
    deletionTimestamp: metadata.deletionTimestamp ? Date.parse(metadata.deletionTimestamp) || 0 : null,
    finalizers: metadata.finalizers,
    // JSON without numbers is always exact.
    managedFields: metadata.managedFields as ExactJson[],
    writes: metadata.managedFields.map(({ apiVersion = "", time = "", manager = "", operation = "", subresource = "" }) => ({
      ...{ manager, operation, subresource },
      version: apiVersion.slice(apiVersion.lastIndexOf("/") + 1),
      at: Date.parse(time) || 0,
    })),
  };
}
