import { afterAll, beforeAll, expect, test } from "vitest";
import { connect } from "#lib/cluster/connection/connect.ts";
import { listCrds } from "#lib/cluster/definitions/crds.ts";
import { chooseContexts } from "#lib/cluster/testing/choose-contexts.ts";
import { compactEtcd } from "#lib/cluster/testing/compact-etcd.ts";
import { tcpProxy } from "#lib/cluster/testing/tcp-proxy.ts";
import { type ApiClient, apiClient } from "#lib/local-cluster/api-client.ts";
import { createDefinition } from "#lib/local-cluster/sample-definition.ts";
import { type LocalCluster, startLocalCluster } from "#lib/local-cluster/start-local-cluster.ts";
import { fleetOf } from "./fleet-of.ts";
import { watchCrds } from "./watch-crds.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const soon = () => AbortSignal.timeout(30_000);

// With its cache, an API server remembers changes for longer than a test may take; without it, for as long as etcd does.
let cluster: LocalCluster;
let api: ApiClient;

beforeAll(async () => {
  cluster = await startLocalCluster({ apiServerArgs: ["--watch-cache=false"] });
  api = apiClient(cluster);
});
afterAll(async () => {
  api?.close();
  await cluster?.stop();
});

const define = () => createDefinition(api, [{ name: "v1", storage: true }]);

test("a watch from a resourceVersion that was compacted away says that it must list again", async () => {
  await chooseContexts(cluster, { name: "a" });
  const connection = await connect("a");
  const [page] = await Array.fromAsync(listCrds(connection, soon()));
  await define();
  await compactEtcd(cluster.etcd);
  const watch = watchCrds(connection, { resourceVersion: page?.resourceVersion ?? "", signal: soon(), onOpen: () => {} });
  await expect(watch.next()).rejects.toMatchObject({ code: "conflict" });
});

// While only a 410 made it list again (watch-crds.ts), the fleet asked for this watch for ever.
test("a watch that begins right at the revision up to which etcd was compacted says that it must list again", async () => {
  await chooseContexts(cluster, { name: "a" });
  const connection = await connect("a");
  const { name } = await define();
  const changed = await api.mergePatch(`${definitions}/${name}`, { metadata: { labels: { changed: "yes" } } });
  const revision = changed.metadata.resourceVersion ?? "";
  await compactEtcd(cluster.etcd, revision);
  const watch = watchCrds(connection, { resourceVersion: String(BigInt(revision) - 1n), signal: soon(), onOpen: () => {} });
  await expect(watch.next()).rejects.toMatchObject({ code: "conflict", clusterMessage: expect.stringContaining("PrevKv=nil") });
});

test("the fleet lists again by itself when its resourceVersion was compacted away, and misses neither what came nor what went", async () => {
  const proxy = await tcpProxy(cluster.server);
  await chooseContexts(cluster, { name: "proxied", server: proxy.server });
  const goes = await define();
  const fleet = fleetOf(await connect("proxied"));
  await fleet.listed(soon());
  expect(fleet.crd(goes.name)).not.toBeNull();

  proxy.cut({ refuse: true });
  await goes.remove();
  const comes = await define();
  await expect.poll(async () => (await api.list(definitions)).items.map(({ metadata }) => metadata.name)).not.toContain(goes.name);
  await compactEtcd(cluster.etcd);
  proxy.cut({ refuse: false });

  await expect.poll(() => [fleet.crd(goes.name), fleet.crd(comes.name)?.name], { timeout: 40_000 }).toEqual([null, comes.name]);
  await expect.poll(() => fleet.freshness().stale).toBe(false);
});
