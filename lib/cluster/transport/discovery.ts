import { z } from "zod";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { clusterAnswer } from "./cluster-answer.ts";
import { pathSegment, requestJson } from "./request.ts";

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

const groupSchema = z.object({ versions: z.array(z.object({ version: z.string() })) });

/** The versions of an API group that discovery offers to clients, the preferred one first. Other kinds of the group may have others. */
export async function readGroupVersions(connection: Connection, group: string, signal: AbortSignal): Promise<string[]> {
  const { json } = await requestJson(connection, { path: `/apis/${pathSegment(group)}`, signal, timeoutMs: 10_000 });
  return groupSchema.parse(json).versions.map(({ version }) => version);
}

/** The API server's version, such as `v1.37.2`. */
export async function readServerVersion(connection: Connection, signal: AbortSignal): Promise<string> {
  const { json } = await requestJson(connection, { path: "/version", signal, timeoutMs: 3_000 });
  return versionSchema.parse(json).gitVersion;
}

const LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
/** Source: https://kubernetes.io/docs/concepts/architecture/leases/#api-server-identity */
const SELECTOR = "apiserver.kubernetes.io/identity=kube-apiserver";

const leasesSchema = z.object({
  items: z.array(z.object({ metadata: z.object({ name: z.string() }), spec: z.object({ renewTime: z.string().nullish() }).nullish() })),
});

/**
 * When each API server last renewed its identity Lease, by the Lease's name and by that server's clock; null if they may not be read.
 * @throws the errors of requests, but for a refusal that lasts.
 */
export async function readIdentityLeases(connection: Connection, signal: AbortSignal): Promise<Map<string, string> | null> {
  try {
    const { json } = await requestJson(connection, { path: `${LEASES}?labelSelector=${encodeURIComponent(SELECTOR)}`, signal });
    return new Map(leasesSchema.parse(json).items.map(({ metadata, spec }) => [metadata.name, spec?.renewTime ?? ""]));
  } catch (error) {
    const answer = clusterAnswer(error);
    if (answer?.status === 404 || (answer?.status === 403 && !answer.isEarlyDenial)) return null;
    throw error;
  }
}
