import { z } from "zod";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { clusterAnswer } from "#lib/cluster/transport/errors.ts";
import { pathSegment } from "#lib/cluster/transport/path-segment.ts";
import { type ClusterRequest, FIELD_MANAGER, requestJson, requestText } from "#lib/cluster/transport/request.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { type ExactJson, exactText, parseExactJson } from "#lib/domain/exact-json/exact-json.ts";
import type { RewriteRecord } from "#lib/domain/rewrite/run.ts";
import type { PatchStep } from "#lib/domain/versions/version-change.ts";
import { crdFromJson, RECORD_ANNOTATION } from "./crd-from-json.ts";
import { noSuchDefinition } from "./no-such-definition.ts";
import { recordText } from "./record-text.ts";

/** Another one than for the record: one entry of managedFields for both would make each renewal look like a change of the spec. */
const SPEC_MANAGER = `${FIELD_MANAGER}-spec`;

const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** Definitions come with their schemas, up to a megabyte each; a page of them must stay small. */
const PAGE_SIZE = 50;

const listSchema = z.object({
  metadata: z.object({ resourceVersion: z.string(), continue: z.string().optional() }),
  items: z.array(z.unknown()),
});

export interface CrdPage {
  crds: Crd[];
  resourceVersion: string;
}

/** All definitions, a page at a time, schemas dropped. */
export async function* listCrds(connection: Connection, signal: AbortSignal): AsyncGenerator<CrdPage> {
  let next: string | undefined;
  do {
    const query = new URLSearchParams({ limit: String(PAGE_SIZE), ...(next && { continue: next }) });
    const { json } = await requestJson(connection, { path: `${CRDS}?${query}`, signal });
    const { metadata, items } = listSchema.parse(json);
    yield { crds: items.map(crdFromJson), resourceVersion: metadata.resourceVersion };
    next = metadata.continue || undefined;
  } while (next);
}

/** A definition as it is now, with the server's clock (ms since the epoch, null when it did not say). Throws AppError not_found. */
export async function readCrd(connection: Connection, name: string, signal: AbortSignal): Promise<{ crd: Crd; serverTime: number | null }> {
  const { json, serverTime } = await requestJson(connection, { path: crdPath(name), signal }).catch(orNoSuch(connection, name));
  return { crd: crdFromJson(json), serverTime };
}

/** A definition as it is now, and all of it exactly as the API server sent it. Throws AppError not_found. */
export async function readExactCrd(connection: Connection, name: string, signal: AbortSignal): Promise<{ crd: Crd; exact: ExactJson }> {
  const { text } = await requestText(connection, { path: crdPath(name), signal }).catch(orNoSuch(connection, name));
  return { crd: crdFromJson(JSON.parse(text)), exact: parseExactJson(text) };
}

// A 404 that does not name the definition comes from something before the API server, or is about another path.
function orNoSuch(connection: Connection, name: string): (error: unknown) => never {
  return (error) => {
    const answer = clusterAnswer(error);
    throw answer?.status === 404 && answer.name === name ? noSuchDefinition(connection, name, error) : error;
  };
}

/**
 * Writes crdshift's record into the definition's annotation, if nothing has changed since `crd` was read.
 * Touches neither generation nor anyone's watch on the objects.
 * @throws AppError conflict when something has.
 */
export async function writeRecord(connection: Connection, crd: Crd, record: RewriteRecord, signal: AbortSignal): Promise<Crd> {
  const annotations = { [RECORD_ANNOTATION]: recordText(record) };
  const patch = { metadata: { resourceVersion: crd.resourceVersion, annotations } };
  return patchCrd(connection, `${crdPath(crd.name)}?fieldManager=${FIELD_MANAGER}`, mergePatch(patch), signal);
}

/**
 * Replaces status.storedVersions, if nothing has changed since `crd` was read. It is writable only through /status.
 * @throws AppError conflict when something has.
 */
export async function writeStoredVersions(connection: Connection, crd: Crd, storedVersions: string[], signal: AbortSignal): Promise<Crd> {
  const patch = { metadata: { resourceVersion: crd.resourceVersion }, status: { storedVersions } };
  return patchCrd(connection, `${crdPath(crd.name)}/status?fieldManager=${FIELD_MANAGER}`, mergePatch(patch), signal);
}

/**
 * Applies a JSON patch to the definition, or with `dryRun` only asks what would come of it.
 * @throws AppError conflict when the patch demands another resourceVersion, cluster_rejected with `details.fields` when it is refused.
 */
export async function patchSpec(
  connection: Connection,
  crdName: string,
  steps: readonly PatchStep[],
  { dryRun = false, signal }: { dryRun?: boolean; signal: AbortSignal },
): Promise<Crd> {
  const body = { type: "application/json-patch+json", json: exactText([...steps]) } as const;
  const query = `fieldManager=${SPEC_MANAGER}${dryRun ? "&dryRun=All" : ""}`;
  return patchCrd(connection, `${crdPath(crdName)}?${query}`, body, signal);
}

function mergePatch(patch: object) {
  return { type: "application/merge-patch+json", json: JSON.stringify(patch) } as const;
}

async function patchCrd(
  connection: Connection,
  path: string,
  body: NonNullable<ClusterRequest["body"]>,
  signal: AbortSignal,
): Promise<Crd> {
  const { json } = await requestJson(connection, { method: "PATCH", path, body, signal });
  return crdFromJson(json);
}

function crdPath(name: string): string {
  return `${CRDS}/${pathSegment(name)}`;
}

/** The path that watches definitions from a resourceVersion on, with bookmarks. */
export function watchPath(resourceVersion: string, timeoutSeconds: number): string {
  const query = new URLSearchParams({ watch: "1", allowWatchBookmarks: "true", resourceVersion, timeoutSeconds: String(timeoutSeconds) });
  return `${CRDS}?${query}`;
}
