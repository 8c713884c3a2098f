import { afterAll } from "vitest";
import { type ApiClient, apiClient } from "#lib/local-cluster/api-client.ts";
import type { KubernetesRelease } from "#lib/local-cluster/binaries/kubernetes-release.ts";
import { type LocalCluster, startLocalCluster } from "#lib/local-cluster/start-local-cluster.ts";
import { stopAllRuns } from "#lib/rewrite/run/running.ts";

/** A cluster of a test file's own, until the end of the file: with another release of Kubernetes, or to be changed for good. */
export async function ownCluster(options: { release?: KubernetesRelease } = {}): Promise<{ cluster: LocalCluster; api: ApiClient }> {
  const cluster = await startLocalCluster(options);
  const api = apiClient(cluster);
  afterAll(async () => {
    await stopAllRuns();
    api.close();
    await cluster.stop();
  });
  return { cluster, api };
}
