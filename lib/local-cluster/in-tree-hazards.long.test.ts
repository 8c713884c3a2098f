import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type EtcdChange, etcdHistory } from "#lib/rewrite/testing/etcd/etcd-history.ts";
import { denyUpdatesOfFrozen } from "#lib/rewrite/testing/webhooks/deny-updates.ts";
import { type ApiClient, apiClient } from "./api-client.ts";
import { createDefinition, objectName, type SampleDefinition, type SampleVersion } from "./sample-definition.ts";
import { type LocalCluster, startLocalCluster } from "./start-local-cluster.ts";
import { type InTreeEngine, inTreeEngine, shortensList } from "./testing/in-tree-engine.ts";

// What the cluster's own engine does in Kubernetes 1.36.3 and 1.37.2, with etcd as the judge. crdshift delegates to it knowing this.

let cluster: LocalCluster;
let api: ApiClient;
let engine: InTreeEngine;

beforeAll(async () => {
  cluster = await startLocalCluster({ controllerManager: true });
  api = apiClient(cluster);
  engine = inTreeEngine(cluster, api);
});

beforeEach(({ skip }) => skip(!shortensList(cluster), "Up to Kubernetes 1.35, this engine leaves the list alone."));

afterAll(async () => {
  api?.close();
  await cluster?.stop();
});

test("a migration by the cluster's own engine rewrites all objects and leaves only the storage version in storedVersions", async () => {
  const definition = await stale(5, () => ({}));
  await engine.learn();

  await engine.migrate(definition, "plain");

  expect(await engine.endOf(definition, "plain")).toMatchObject({ type: "Succeeded" });
  expect(await storedAs(definition)).toEqual(Array(5).fill("v1"));
  expect((await definition.read()).status.storedVersions).toEqual(["v1"]);
});

test("a migration that fails for one object still removes the old version from storedVersions", async () => {
  const definition = await stale(3, (index) => ({ frozen: index === 0 }));
  await denyUpdatesOfFrozen(api, definition);
  await engine.learn();

  await engine.migrate(definition, "denied");

  expect(await engine.endOf(definition, "denied")).toEqual({ type: "Failed", message: expect.stringContaining("is frozen") });
  expect((await definition.read()).status.storedVersions).toEqual(["v1"]);
  const stored = await definition.storedValues(cluster.etcd);
  expect(stored.get(objectName(0))?.apiVersion).toBe(`${definition.group}/v1beta1`);
});

test("a second migration of a definition removes the old version from storedVersions before it rewrites anything", async () => {
  const definition = await stale(4, () => ({}));
  await engine.learn();
  await engine.migrate(definition, "first");
  await engine.endOf(definition, "first");
  await definition.setVersions(storedIn("v2"));
  // The engine rereads the definition when it starts; by then, the API server uses the new storage version.
  await engine.learn();
  expect((await definition.read()).status.storedVersions).toEqual(["v1", "v2"]);
  const history = await etcdHistory(cluster.etcd);

  await engine.migrate(definition, "second");
  await engine.endOf(definition, "second");

  const changes = await history.changes();
  const start = changes.find(({ text }) => text?.includes("Migration second is running"));
  expect(storedVersionsIn(start)).toEqual(["v2"]);
  const rewritten = changes.filter(({ key, text }) => key.includes("/widget-") && text?.includes(`"apiVersion":"${definition.group}/v2"`));
  expect(rewritten).toHaveLength(4);
  expect(rewritten.filter(({ revision }) => revision <= (start?.revision ?? 0n))).toEqual([]);
});

// Why delegationRefusal (delegation-refusal.ts) has crdshift write such objects itself.
test("a migration writes each object as the preferred version, and so drops what only the storage version has, also of current objects", async () => {
  const definition = await createDefinition(api, [
    { name: "v1", properties: { size: { type: "integer" } } },
    { name: "v1beta1", storage: true, properties: { size: { type: "integer" }, note: { type: "string" } } },
  ]);
  await definition.createObjects("v1beta1", 2, () => ({ size: 1, note: "precious" }));
  await engine.learn();

  await engine.migrate(definition, "preferred");

  expect(await engine.endOf(definition, "preferred")).toMatchObject({ type: "Succeeded" });
  const stored = [...(await definition.storedValues(cluster.etcd)).values()];
  expect(stored.map(({ apiVersion, specText }) => [apiVersion, specText])).toEqual(
    Array(2).fill([`${definition.group}/v1beta1`, '{"size":1}']),
  );
});

function storedIn(storage: string): SampleVersion[] {
  return ["v1beta1", "v1", "v2"].map((name) => ({ name, storage: name === storage }));
}

/** A definition whose objects were created at v1beta1 before v1 became the storage version. */
async function stale(count: number, spec: (index: number) => object): Promise<SampleDefinition> {
  const definition = await createDefinition(api, storedIn("v1beta1"));
  await definition.createObjects("v1beta1", count, spec);
  await definition.setVersions(storedIn("v1"));
  return definition;
}

async function storedAs(definition: SampleDefinition): Promise<string[]> {
  const values = [...(await definition.storedValues(cluster.etcd)).values()];
  return values.map(({ apiVersion }) => apiVersion.slice(apiVersion.indexOf("/") + 1));
}

function storedVersionsIn(change: EtcdChange | undefined): string[] | undefined {
  return change?.text ? JSON.parse(change.text).status.storedVersions : undefined;
}
