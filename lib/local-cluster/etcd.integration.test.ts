import { expect, onTestFinished, test } from "vitest";
import { apiClient } from "#lib/local-cluster/api-client.ts";
import { readEtcd } from "#lib/local-cluster/etcd.ts";
import { startLocalCluster } from "#lib/local-cluster/start-local-cluster.ts";

test("all entries under a prefix in etcd are read as stored, over several pages", async () => {
  const cluster = await startLocalCluster();
  onTestFinished(() => cluster.stop());
  const names = Array.from({ length: 1_101 }, (_, index) => `page-${String(index).padStart(4, "0")}`);
  const client = apiClient(cluster);
  await Promise.all(names.map((name) => client.create("/api/v1/namespaces/default/configmaps", { metadata: { name } })));

  const entries = await readEtcd(cluster.etcd, "/registry/configmaps/default/page-");

  expect(entries.map(({ key }) => key)).toEqual(names.map((name) => `/registry/configmaps/default/${name}`));
  const stored = await client.get(`/api/v1/namespaces/default/configmaps/page-0000`);
  expect(String(entries[0]?.modRevision)).toBe(stored.metadata.resourceVersion);
  expect(entries[0]?.createRevision).toBe(entries[0]?.modRevision);
  expect(Buffer.from(entries[0]?.value ?? []).toString("latin1")).toContain("page-0000");
});
