import { z } from "zod";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { clusterAnswer } from "./errors.ts";
import { pathSegment } from "./path-segment.ts";
import { requestJson } from "./request.ts";

const resourceListSchema = z.object({
  resources: z.array(z.object({ name: z.string(), storageVersionHash: z.string().optional() })),
});
const versionSchema = z.object({ gitVersion: z.string() });

/**
 * The storageVersionHash that the API server advertises for a resource. Each call opens a new connection, to reach different API
 * servers behind one address. Null if it advertises none or doesn't serve that version yet.
 * Uses plain JSON because aggregated discovery lacks the hash.
 */
export async function readStorageVersionHash(
  connection: Connection,
  resource: { group: string; plural: string; version: string },
  signal: AbortSignal,
): Promise<string | null> {
  const dispatcher = connection.openDispatcher();
  try {
    const path = `/apis/${pathSegment(resource.group)}/${pathSegment(resource.version)}`;
    const { json } = await requestJson(connection, { path, dispatcher, signal, timeoutMs: 10_000 });
    const { resources } = resourceListSchema.parse(json);
    return resources.find(({ name }) => name === resource.plural)?.storageVersionHash ?? null;
  } catch (error) {
    if (clusterAnswer(error)?.status === 404) return null;
    throw error;
  } finally {
    await dispatcher.close();
  }
}

/** The API server's version, such as `v1.37.2`. */
export async function readServerVersion(connection: Connection, signal: AbortSignal): Promise<string> {
  const { json } = await requestJson(connection, { path: "/version", signal, timeoutMs: 3_000 });
  return versionSchema.parse(json).gitVersion;
}
