import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect as tcpConnect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { createServer } from "node:tls";
import { generate } from "selfsigned";
import { expect, onTestFinished, test } from "vitest";
import { chooseEtcd } from "#lib/cluster/testing/choose-contexts.ts";
import { putIntoEtcd } from "#lib/local-cluster/etcd.ts";
import { workerCluster } from "#lib/local-cluster/testing/worker-cluster.ts";
import { readEnv } from "#lib/settings/env.ts";
import { etcdPages } from "./count-in-etcd.ts";
import { etcdClient } from "./etcd-client.ts";
import { readEtcdCredentials } from "./etcd-credentials.ts";

const { etcd } = workerCluster();
const soon = () => AbortSignal.timeout(60_000);
const MIB = 1024 * 1024;

async function certificate(commonName: string) {
  const { private: key, cert } = await generate([{ name: "commonName", value: commonName }], {
    keySize: 2048,
    algorithm: "sha256",
    extensions: [{ name: "subjectAltName", altNames: [{ type: 7, ip: "127.0.0.1" }] }],
  });
  return { key, cert };
}

/** etcd behind TLS that asks for this client's certificate, with the files that fit. */
async function behindTls() {
  const [server, client] = [await certificate("etcd"), await certificate("crdshift")];
  const front = createServer({ ...server, ca: client.cert, requestCert: true, rejectUnauthorized: true }, (socket) => {
    const upstream = tcpConnect(Number(new URL(etcd).port), "127.0.0.1");
    socket.pipe(upstream).pipe(socket);
    socket.on("error", () => upstream.destroy());
    upstream.on("error", () => socket.destroy());
  });
  await new Promise<void>((resolve) => void front.listen(0, "127.0.0.1", resolve));
  const directory = await mkdtemp(path.join(tmpdir(), "crdshift-etcd-"));
  onTestFinished(async () => {
    front.close();
    await rm(directory, { recursive: true });
  });
  const file = async (name: string, text: string) => {
    await writeFile(path.join(directory, name), text);
    return path.join(directory, name);
  };
  const address = front.address();
  return {
    endpoint: `https://127.0.0.1:${typeof address === "object" ? address?.port : ""}`,
    CACERT: await file("ca.pem", server.cert),
    CERT: await file("client.pem", client.cert),
    KEY: await file("client.key", client.key),
  };
}

async function readAnyKey(): Promise<unknown> {
  const env = readEnv();
  const client = etcdClient(env.CRDSHIFT_ETCD_ENDPOINTS, readEtcdCredentials(env));
  onTestFinished(() => client.close());
  return client.range({ key: Buffer.from("/registry/"), limit: 1, revision: null, maxBytes: MIB }, soon());
}

// Without the credentials in the Agent (etcd-client.ts) the first answer is an error, too.
test("signs in with a client certificate, and says what etcd's TLS says without it", async () => {
  const { endpoint, ...files } = await behindTls();
  chooseEtcd(endpoint, files);
  expect(await readAnyKey()).toMatchObject({ kind: "entries", entries: [] });
  chooseEtcd(endpoint, { CACERT: files.CACERT, CERT: "", KEY: "" });
  await expect(readAnyKey()).rejects.toMatchObject({ code: "cluster_unreachable", clusterMessage: expect.stringContaining(endpoint) });
  chooseEtcd(endpoint, { ...files, CACERT: "" });
  await expect(readAnyKey()).rejects.toMatchObject({ clusterMessage: expect.stringContaining("self-signed") });
});

// With a page limit that stays at 500 (whole-answer.ts), or with no end to a response (maxBytes), a page of them all comes at once.
test("reads pages of a bounded size, whatever the values are", async () => {
  const prefix = `/crdshift-test-${process.pid}/`;
  const large = "x".repeat(1.4 * MIB);
  onTestFinished(async () => {
    const end = Buffer.from(`${prefix.slice(0, -1)}0`).toString("base64");
    await fetch(`${etcd}/v3/kv/deleterange`, {
      method: "POST",
      body: JSON.stringify({ key: Buffer.from(prefix).toString("base64"), range_end: end }),
    });
  });
  for (let index = 0; index < 300; index++) await putIntoEtcd(etcd, `${prefix}a-${String(index).padStart(3, "0")}`, "{}");
  for (let index = 0; index < 14; index++) await putIntoEtcd(etcd, `${prefix}b-${String(index).padStart(3, "0")}`, large);

  const client = etcdClient([etcd], {});
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
