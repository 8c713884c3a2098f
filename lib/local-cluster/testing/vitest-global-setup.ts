import type { TestProject } from "vitest/node";
import { type LocalCluster, startLocalCluster } from "#lib/local-cluster/start-local-cluster.ts";

/** A real API server for the test files of one worker: `workerCluster()`. */
export type TestCluster = Pick<LocalCluster, "kubeconfig" | "context" | "server" | "token" | "caFile" | "etcd" | "kubernetes">;

declare module "vitest" {
  export interface ProvidedContext {
    clusters: TestCluster[];
  }
}

/** Starts an API server with its etcd for each worker, and ends them after the tests. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const start = () => startLocalCluster({ log: (line) => console.log(line) });
  // The first builds the cluster's programs where they are missing.
  const started: LocalCluster[] = [await start()];
  started.push(...(await Promise.all(Array.from({ length: workers(project) - 1 }, start))));
  project.provide(
    "clusters",
    started.map(({ kubeconfig, context, server, token, caFile, etcd, kubernetes }) => ({
      kubeconfig,
      context,
      server,
      token,
      caFile,
      etcd,
      kubernetes,
    })),
  );
  return async () => {
    await Promise.all(started.map((cluster) => cluster.stop()));
  };
}

/** No more than there are files where files are named, as in `vitest run one.integration.test.ts`. */
function workers({ config }: TestProject): number {
  const named = process.argv.slice(2).filter((word) => word.includes("/"));
  const areFiles = named.length > 0 && named.every((word) => word.endsWith(".test.ts"));
  return areFiles ? Math.min(config.maxWorkers, named.length) : config.maxWorkers;
}
