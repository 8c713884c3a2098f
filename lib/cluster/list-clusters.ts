import { errorMessage, isAppError } from "#lib/contract/app-error.ts";
import type { Cluster } from "#lib/contract/cluster.ts";
import { connect } from "./connection.ts";
import { readServerVersion } from "./discovery.ts";
import { readKubeContexts } from "./kubeconfig.ts";

/** Every context, with whether its API server answers within three seconds. */
export async function listClusters(signal: AbortSignal): Promise<Cluster[]> {
  const { current, contexts } = readKubeContexts();
  return Promise.all(
    [...contexts].map(async ([name, config]) => {
      const known = { name, server: config.getCurrentCluster()?.server ?? "", current: name === current, readOnly: false };
      return { ...known, ...(await reach(name, signal)) };
    }),
  );
}

async function reach(name: string, signal: AbortSignal): Promise<Pick<Cluster, "reachable" | "message" | "version">> {
  try {
    return { reachable: true, message: null, version: await readServerVersion(await connect(name), signal) };
  } catch (error) {
    const message = isAppError(error)
      ? [error.message, error.clusterMessage, error.nextStep].filter(Boolean).join(" ")
      : errorMessage(error);
    return { reachable: false, message, version: null };
  }
}
