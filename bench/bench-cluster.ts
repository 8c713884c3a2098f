import { type Connection, connect } from "#lib/cluster/connection/connection.ts";
import { type ApiClient, apiClient } from "#lib/local-cluster/api-client.ts";
import { type LocalCluster, startLocalCluster } from "#lib/local-cluster/start-local-cluster.ts";
import { chooseKubeconfig } from "#lib/settings/env.ts";

/** The cluster that everything is measured on. */
export interface BenchCluster extends LocalCluster {
  /** The administrator, who creates the measured objects. */
  api: ApiClient;
  /** The connection as crdshift itself uses it. */
  connection: Connection;
}

/** Starts etcd, the API server and, for its own engine, kube-controller-manager. */
export async function startBenchCluster(): Promise<BenchCluster> {
  const cluster = await startLocalCluster({ controllerManager: true, log: console.error });
  chooseKubeconfig(cluster.kubeconfig);
  return { ...cluster, api: apiClient(cluster), connection: await connect(cluster.context) };
}
