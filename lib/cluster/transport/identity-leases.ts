import { z } from "zod";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { clusterAnswer } from "./errors.ts";
import { requestJson } from "./request.ts";

const LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
/** Source: https://kubernetes.io/docs/concepts/architecture/leases/#api-server-identity */
const SELECTOR = "apiserver.kubernetes.io/identity=kube-apiserver";

const leasesSchema = z.object({
  items: z.array(z.object({ metadata: z.object({ name: z.string() }), spec: z.object({ renewTime: z.string().nullish() }).nullish() })),
});

/**
 * When each API server last renewed its identity Lease, by the Lease's name and by that server's clock; null if they may not be read.
 * @throws the errors of requests, but for a refusal.
 */
export async function readIdentityLeases(connection: Connection, signal: AbortSignal): Promise<Map<string, string> | null> {
  try {
    const { json } = await requestJson(connection, { path: `${LEASES}?labelSelector=${encodeURIComponent(SELECTOR)}`, signal });
    return new Map(leasesSchema.parse(json).items.map(({ metadata, spec }) => [metadata.name, spec?.renewTime ?? ""]));
  } catch (error) {
    const status = clusterAnswer(error)?.status;
    if (status === 403 || status === 404) return null;
    throw error;
  }
}
