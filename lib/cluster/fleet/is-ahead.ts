import { z } from "zod";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { LIST_AS_METADATA } from "#lib/cluster/objects/object-pages.ts";
import { requestJson } from "#lib/cluster/transport/request.ts";
import { compareResourceVersions } from "#lib/domain/objects/resource-version.ts";

const PATH = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?limit=1";
const TIMEOUT_MS = 10_000;

const listSchema = z.object({ metadata: z.object({ resourceVersion: z.string() }) });

/** Whether the cluster has not reached this resourceVersion, which it has told before: etcd was restored. */
export async function isAhead(connection: Connection, resourceVersion: string, signal: AbortSignal): Promise<boolean> {
  const { json } = await requestJson(connection, { path: PATH, accept: LIST_AS_METADATA, signal, timeoutMs: TIMEOUT_MS });
  return compareResourceVersions(listSchema.parse(json).metadata.resourceVersion, resourceVersion) < 0;
}
