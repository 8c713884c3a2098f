import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { parse } from "yaml";
import { type ApiClient, apiClient } from "./api-client.ts";
import { type Demo, startDemo } from "./start-demo.ts";

const timeout = 120_000;
const crdPath = (name: string) => `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;
const cronTabPath = (version: string) => `/apis/stable.example.com/${version}/namespaces/team-search/crontabs/nightly-report-0002`;

beforeAll(async () => {
  const dataHome = await mkdtemp(path.join(tmpdir(), "crdshift-data-"));
  vi.stubEnv("XDG_DATA_HOME", dataHome);
  return () => rm(dataHome, { recursive: true, force: true });
});

async function start(reset = false): Promise<{ demo: Demo; client: ApiClient; rewritten: string[]; directory: string }> {
  const rewritten: string[] = [];
  const demo = await startDemo({ reset, log: () => {}, rewriteToProof: async ({ crd }) => void rewritten.push(crd) });
  onTestFinished(demo.stop);
  const { clusters, users } = parse(await readFile(demo.kubeconfig, "utf8"));
  const directory = path.dirname(demo.kubeconfig);
  const cluster = {
    server: clusters[0].cluster.server,
    token: users[0].user.token,
    caFile: path.join(directory, "certs", "apiserver.crt"),
  };
  return { demo, client: apiClient(cluster), rewritten, directory };
}

test("has content in every state, each with its cause", { timeout }, async () => {
  const { client, rewritten } = await start();
  const crds = await client.list<{ metadata: { name: string }; status: { storedVersions: string[] } }>(crdPath(""));
  expect(Object.fromEntries(crds.items.map((crd) => [crd.metadata.name.split(".")[0], crd.status.storedVersions]))).toEqual({
    backupschedules: ["v1beta1", "v1"],
    certificatebundles: ["v1alpha1", "v1"],
    costcenters: ["v1"],
    crontabs: ["v1beta1", "v1"],
    databaseclaims: ["v1alpha1", "v1"],
    featureflags: ["v1"],
    messagequeues: ["v1"],
    multiregionfailovertrafficdistributionpolicies: ["v1alpha1"],
    rolloutplans: ["v1alpha1", "v1beta1"],
    tenantquotas: ["v1alpha2", "v1"],
    trafficpolicies: ["v1alpha3", "v1"],
    versionordersamples: ["v1", "v2"],
  });
  expect(rewritten).toEqual(["trafficpolicies.mesh.example.com"]);

  const cronTabs = await client.list("/apis/stable.example.com/v1/crontabs?limit=1");
  expect(cronTabs.metadata.remainingItemCount).toBe(1_499);
  expect((await client.get(cronTabPath("v1"))).spec).toMatchObject({ host: "reports-1.example.com", port: "8001" });
  expect((await client.get(cronTabPath("v1beta1"))).spec).toMatchObject({ hostPort: "reports-1.example.com:8001" });

  const plan = "/apis/delivery.example.com/v1beta1/namespaces/team-search/rolloutplans/plan-017";
  await expect(client.mergePatch(plan, {})).rejects.toThrow(/under a change freeze/);
  await expect(client.list("/apis/security.example.com/v1/certificatebundles")).rejects.toThrow(/404/);
});

test("keeps its content between starts, and touches no CRD", { timeout }, async () => {
  const before = await start();
  const crd = await before.client.get(crdPath("crontabs.stable.example.com"));
  await before.client.delete(cronTabPath("v1"));
  await before.demo.stop();

  const after = await start();
  expect(after.rewritten).toEqual([]);
  expect(await after.client.get(crdPath("crontabs.stable.example.com"))).toEqual(crd);
  await expect(after.client.get(cronTabPath("v1"))).rejects.toThrow(/404/);
  await expect(start()).rejects.toThrow(/already running/);
});

test("converts on, from another port, where its own was taken", { timeout }, async () => {
  const { demo, directory } = await start();
  await demo.stop();
  const squatter = createServer();
  onTestFinished(() => void squatter.close());
  const port = Number(await readFile(path.join(directory, "webhook.port"), "utf8"));
  await new Promise<void>((resolve) => squatter.listen({ host: "127.0.0.1", port }, resolve));

  const { client } = await start();
  await vi.waitFor(() => client.list("/apis/stable.example.com/v1/crontabs?limit=1"), { timeout: 20_000, interval: 200 });
});

test("makes everything anew with reset", { timeout }, async () => {
  const { client, rewritten } = await start(true);
  expect(rewritten).toHaveLength(1);
  await expect(client.get(cronTabPath("v1"))).resolves.toMatchObject({ metadata: { name: "nightly-report-0002" } });
});
