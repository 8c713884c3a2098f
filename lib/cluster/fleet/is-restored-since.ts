import { z } from "zod";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { LIST_AS_METADATA } from "#lib/cluster/objects/object-pages.ts";
import { requestJson } from "#lib/cluster/transport/request.ts";
import { mustBeRestored } from "#lib/domain/objects/resource-version.ts";

const PATH = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?limit=1";
const TIMEOUT_MS = 10_000;

const listSchema = z.object({ metadata: z.object({ resourceVersion: z.string().regex(/^\d+$/) }) });

/** Whether etcd was restored since the cluster told this resourceVersion, `at` ms since the epoch. Throws the cluster's error. */
export async function isRestoredSince(
  connection: Connection,
  known: { resourceVersion: string; at: number },
  signal: AbortSignal,
): Promise<boolean> {
  const { json } = await requestJson(connection, { path: PATH, accept: LIST_AS_METADATA, signal, timeoutMs: TIMEOUT_MS });
  return mustBeRestored(listSchema.parse(json).metadata.resourceVersion, known);
}
