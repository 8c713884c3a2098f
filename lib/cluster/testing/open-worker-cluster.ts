import { afterAll } from "vitest";
import { connect } from "#lib/cluster/connection/connect.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { apiClient } from "#lib/local-cluster/api-client.ts";
import { workerCluster } from "#lib/local-cluster/testing/worker-cluster.ts";
import { chooseContexts } from "./choose-contexts.ts";

/** For the top of a test file: its worker's API server, a client of it until the file's end, and crdshift's own connection to it. */
export function openWorkerCluster() {
  const cluster = workerCluster();
  const api = apiClient(cluster);
  afterAll(() => api.close());
  return {
    cluster,
    api,
    /** Of a context "a", which the kubeconfig has until the end of the test. */
    async connection(): Promise<Connection> {
      await chooseContexts(cluster, { name: "a" });
      return connect("a");
    },
  };
}
