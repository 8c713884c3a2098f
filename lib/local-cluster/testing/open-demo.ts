import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished, vi } from "vitest";
import { parse } from "yaml";
import { type ApiClient, apiClient } from "#lib/local-cluster/api-client.ts";
import { type Demo, startDemo } from "#lib/local-cluster/start-demo.ts";

/** For beforeAll: gives a test file's demos a data folder of their own. */
export async function ownDemoData(): Promise<() => Promise<void>> {
  const dataHome = await mkdtemp(path.join(tmpdir(), "crdshift-data-"));
  vi.stubEnv("XDG_DATA_HOME", dataHome);
  return () => rm(dataHome, { recursive: true, force: true });
}

export interface OpenedDemo {
  demo: Demo;
  client: ApiClient;
  rewritten: string[];
  logged: string[];
  directory: string;
}

/** Starts the demo, whose rewrite to a proof is only noted. */
export async function openDemo(reset = false): Promise<OpenedDemo> {
  const rewritten: string[] = [];
  const logged: string[] = [];
  const log = (line: string) => void logged.push(line);
  const demo = await startDemo({ reset, log, rewriteToProof: async ({ crd }) => void rewritten.push(crd) });
  const { clusters, users } = parse(await readFile(demo.kubeconfig, "utf8"));
  const directory = path.dirname(demo.kubeconfig);
  const cluster = {
    server: clusters[0].cluster.server,
    token: users[0].user.token,
    caFile: path.join(directory, "certs", "apiserver.crt"),
  };
  return { demo, client: apiClient(cluster), rewritten, logged, directory };
}

/** The same until the end of the test. */
export async function startDemoForTest(reset = false): Promise<OpenedDemo> {
  const opened = await openDemo(reset);
  onTestFinished(opened.demo.stop);
  return opened;
}
