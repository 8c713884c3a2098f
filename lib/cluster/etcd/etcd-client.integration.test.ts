import { expect, onTestFinished, test } from "vitest";
import { chooseEtcd } from "#lib/cluster/testing/choose-contexts.ts";
import { postToEtcd, putIntoEtcd } from "#lib/local-cluster/etcd.ts";
import { workerCluster } from "#lib/local-cluster/testing/worker-cluster.ts";
import { readEnv } from "#lib/settings/env.ts";
import { etcdPages } from "./count-in-etcd.ts";
import { etcdClient } from "./etcd-client.ts";
import { readEtcdCredentials } from "./etcd-credentials.ts";

const { etcd } = workerCluster();
const soon = () => AbortSignal.timeout(60_000);
const MIB = 1024 * 1024;

async function readAnyKey(): Promise<unknown> {
  const env = readEnv();
  const client = etcdClient(env.CRDSHIFT_ETCD_ENDPOINTS, readEtcdCredentials(env));
  onTestFinished(() => client.close());
  return client.range({ key: Buffer.from("/registry/"), limit: 1, revision: null, maxBytes: MIB }, soon());
}

// Without the credentials in the Agent (etcd-client.ts) the first answer is an error, too.
test("signs in with a client certificate, and says what etcd's TLS says without it", async () => {
  chooseEtcd(etcd);
  expect(await readAnyKey()).toMatchObject({ kind: "entries", entries: [] });
  chooseEtcd(etcd, { CERT: "", KEY: "" });
  await expect(readAnyKey()).rejects.toMatchObject({ code: "cluster_unreachable", clusterMessage: expect.stringContaining(etcd.url) });
  chooseEtcd(etcd, { CACERT: "" });
  await expect(readAnyKey()).rejects.toMatchObject({ clusterMessage: expect.stringContaining("self-signed") });
});

// With a page limit that stays at 500 (whole-answer.ts), or with no end to a response (maxBytes), a page of them all comes at once.
test("reads pages of a bounded size, whatever the values are", async () => {
  const prefix = `/crdshift-test-${process.pid}/`;
  const large = "x".repeat(1.4 * MIB);
  onTestFinished(async () => {
    const end = Buffer.from(`${prefix.slice(0, -1)}0`).toString("base64");
    await postToEtcd(etcd, "/v3/kv/deleterange", { key: Buffer.from(prefix).toString("base64"), range_end: end });
  });
  for (let index = 0; index < 300; index++) await putIntoEtcd(etcd, `${prefix}a-${String(index).padStart(3, "0")}`, "{}");
  for (let index = 0; index < 14; index++) await putIntoEtcd(etcd, `${prefix}b-${String(index).padStart(3, "0")}`, large);

  chooseEtcd(etcd);
  const client = etcdClient([etcd.url], readEtcdCredentials(readEnv()));
  onTestFinished(() => client.close());
  const pages: { keys: number; bytes: number }[] = [];
  const keys: string[] = [];
  for await (const { entries, total } of etcdPages(client, prefix, soon())) {
    pages.push({ keys: entries.length, bytes: entries.reduce((sum, { value }) => sum + value.length, 0) });
    keys.push(...entries.map(({ key }) => key.toString()));
    expect(total).toBe(314);
  }
  expect(new Set(keys).size).toBe(314);
  expect(keys).toEqual(keys.toSorted());
  expect(Math.max(...pages.map(({ bytes }) => bytes))).toBeLessThan(12 * MIB);
  expect(pages.slice(0, 3).map(({ keys: count }) => count)).toEqual([4, 16, 64]);
  expect(pages.length).toBeLessThan(20);
});
