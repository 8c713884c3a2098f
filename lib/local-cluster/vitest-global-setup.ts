import type { TestProject } from "vitest/node";
import { startLocalCluster } from "./start-local-cluster.ts";

/** The cluster that integration tests share: `inject("cluster")`. */
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
}

declare module "vitest" {
  export interface ProvidedContext {
    cluster: TestCluster;
  }
}

/** Starts one real API server for all integration tests, and ends it after them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { stop, kubeconfig, context, server, token, caFile, etcd } = await startLocalCluster({ log: (line) => console.log(line) });
  project.provide("cluster", { kubeconfig, context, server, token, caFile, etcd });
  return stop;
}
