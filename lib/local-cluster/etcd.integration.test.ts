import { stat } from "node:fs/promises";
import http from "node:http";
import https from "node:https";
import { expect, onTestFinished, test } from "vitest";
import { apiClient } from "#lib/local-cluster/api-client.ts";
import { postToEtcd, readEtcd } from "#lib/local-cluster/etcd.ts";
import { startLocalCluster } from "#lib/local-cluster/start-local-cluster.ts";
import { workerCluster } from "#lib/local-cluster/testing/worker-cluster.ts";

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

// Without --trusted-ca-file (start-control-plane.ts) etcd takes the write; without TLS, a web page's as well.
test("etcd takes nothing from a web page or another local user, who lack its certificate", async () => {
  const { etcd } = workerCluster();
  const key = Buffer.from("/registry/crdshift-test-foreign").toString("base64");
  const put = (url: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const { request } = url.startsWith("https:") ? https : http;
      const headers = { "content-type": "text/plain" };
      request(`${url}/v3/kv/put`, { method: "POST", headers, rejectUnauthorized: false, agent: false }, ({ statusCode }) =>
        resolve(statusCode),
      )
        .on("error", reject)
        .end(JSON.stringify({ key, value: key }));
    });
  await expect(put(etcd.url)).rejects.toThrow("certificate required");
  await expect(put(etcd.url.replace("https:", "http:"))).rejects.toThrow("socket hang up");
  expect(await postToEtcd(etcd, "/v3/kv/range", { key })).not.toHaveProperty("kvs");
  for (const file of [etcd.keyFile, etcd.certFile]) expect((await stat(file)).mode & 0o077).toBe(0);
});
