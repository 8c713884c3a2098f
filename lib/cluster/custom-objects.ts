import { z } from "zod";
import type { Crd } from "#lib/domain/crd.ts";
import type { ObjectName } from "#lib/domain/rewrite.ts";
import type { Connection } from "./connection.ts";
import { clusterAnswer } from "./errors.ts";
import { FIELD_MANAGER, requestJson } from "./request.ts";

/** Where a definition's objects are: all that a path needs. */
export type CustomResource = Pick<Crd, "group" | "plural" | "scope">;

export interface ObjectMetadata extends ObjectName {
  resourceVersion: string;
  /** Versions that managedFields entries name, with their time in ms. */
  writes: { version: string; at: number }[];
}

export interface ObjectPage {
  objects: ObjectMetadata[];
  /** Of the list, the same on every page unless it had to go on inconsistently. */
  resourceVersion: string;
  next: string | null;
  /** All objects of the list; known on its first page. */
  total: number | null;
  /** The list had to begin again: what earlier pages said is void. */
  restarted: boolean;
}

const LIST_AS_METADATA = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
const OBJECT_AS_METADATA = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
const PAGE_SIZE = 500;
const MAX_RESTARTS = 3;

const objectSchema = z.object({
  metadata: z.object({
    name: z.string(),
    namespace: z.string().default(""),
    resourceVersion: z.string(),
    managedFields: z.array(z.object({ apiVersion: z.string().default(""), time: z.string().default("") })).default([]),
  }),
});
const listSchema = z.object({
  metadata: z.object({ resourceVersion: z.string(), continue: z.string().optional(), remainingItemCount: z.int().optional() }),
  items: z.array(objectSchema).nullish(),
});
const patchedSchema = z.object({ metadata: z.object({ resourceVersion: z.string() }) });

/**
 * One page of the objects' metadata, read at a version.
 * @throws AppError not_found when that version is not served, and what lists throw; 410 for an expired token.
 */
export async function listObjects(
  connection: Connection,
  resource: CustomResource,
  options: { version: string; limit: number; next?: string | null; signal: AbortSignal; runId?: string },
): Promise<Omit<ObjectPage, "restarted">> {
  const { version, limit, next, signal, runId } = options;
  const query = new URLSearchParams({ limit: String(limit), ...(next && { continue: next }) });
  const path = `${collectionPath(resource, version)}?${query}`;
  const { json } = await requestJson(connection, { path, accept: LIST_AS_METADATA, signal, timeoutMs: 60_000, ...(runId && { runId }) });
  const { metadata, items } = listSchema.parse(json);
  const objects = (items ?? []).map(toObjectMetadata);
  return {
    objects,
    resourceVersion: metadata.resourceVersion,
    next: metadata.continue || null,
    // remainingItemCount is absent when nothing remains.
    total: next ? null : objects.length + (metadata.remainingItemCount ?? 0),
  };
}

/**
 * Every object's metadata, page by page. An expired token goes on with the server's inconsistent one (every object that
 * exists throughout is still seen), else the list begins again, at most three times.
 * `attempt` wraps each request, for those who wait and retry.
 */
export async function* objectPages(
  connection: Connection,
  resource: CustomResource,
  options: { version: string; signal: AbortSignal; runId?: string; attempt?: <T>(request: () => Promise<T>) => Promise<T> },
): AsyncGenerator<ObjectPage> {
  const { attempt = (request) => request(), ...list } = options;
  let next: string | null = null;
  let restarted = false;
  let restarts = 0;
  do {
    try {
      const token: string | null = next;
      const page: Omit<ObjectPage, "restarted"> = await attempt(() =>
        listObjects(connection, resource, { ...list, limit: PAGE_SIZE, next: token }),
      );
      yield { ...page, restarted };
      next = page.next;
      restarted = false;
      if (!next) return;
    } catch (error) {
      const answer = clusterAnswer(error);
      if (answer?.status !== 410 || !next) throw error;
      if (answer.inconsistentContinue) {
        next = answer.inconsistentContinue;
      } else {
        restarts += 1;
        if (restarts > MAX_RESTARTS) throw error;
        next = null;
        restarted = true;
      }
    }
  } while (next || restarted);
}

/**
 * The rewrite of one object: an empty merge patch, which makes the API server encode it again at the storage version and
 * write it only if the bytes differ. No byte of the object passes through here, and a deleted one is never created.
 * @returns the resourceVersion afterwards; unchanged when it was current.
 */
export async function rewriteObject(
  connection: Connection,
  resource: CustomResource,
  version: string,
  object: ObjectName,
  options: { signal: AbortSignal; runId?: string },
): Promise<string> {
  const { json } = await requestJson(connection, {
    method: "PATCH",
    path: `${objectPath(resource, version, object)}?fieldManager=${FIELD_MANAGER}`,
    accept: OBJECT_AS_METADATA,
    body: { type: "application/merge-patch+json", json: "{}" },
    timeoutMs: 40_000,
    ...options,
  });
  return patchedSchema.parse(json).metadata.resourceVersion;
}

function toObjectMetadata({ metadata }: z.infer<typeof objectSchema>): ObjectMetadata {
  return {
    namespace: metadata.namespace,
    name: metadata.name,
    resourceVersion: metadata.resourceVersion,
    writes: metadata.managedFields.map(({ apiVersion, time }) => ({
      version: apiVersion.slice(apiVersion.lastIndexOf("/") + 1),
      at: Date.parse(time) || 0,
    })),
  };
}

function collectionPath(resource: CustomResource, version: string): string {
  return `/apis/${encodeURIComponent(resource.group)}/${encodeURIComponent(version)}/${encodeURIComponent(resource.plural)}`;
}

function objectPath(resource: CustomResource, version: string, { namespace, name }: ObjectName): string {
  const collection = encodeURIComponent(resource.plural);
  const scope = resource.scope === "Namespaced" ? `namespaces/${encodeURIComponent(namespace)}/` : "";
  return `/apis/${encodeURIComponent(resource.group)}/${encodeURIComponent(version)}/${scope}${collection}/${encodeURIComponent(name)}`;
}
