import type { TestProject } from "vitest/node";
import { type LocalCluster, startLocalCluster } from "./start-local-cluster.ts";

/** A real API server for the test files of one worker: `workerCluster()`. */
export interface TestCluster {
  /** Path of a kubeconfig, and the name of its only context. */
  kubeconfig: string;
  context: string;
  /** https://127.0.0.1:port */
  server: string;
  /** A bearer token that may do everything. */
  token: string;
  /** Path of the PEM file that verifies the server's certificate. */
  caFile: string;
  /** etcd's client endpoint, http://127.0.0.1:port */
  etcd: string;
  /** The release that runs, as 1.37.2. */
  kubernetes: string;
}

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
  const named = process.argv.filter((word) => word.endsWith(".test.ts")).length;
  return named > 0 ? Math.min(config.maxWorkers, named) : config.maxWorkers;
}
