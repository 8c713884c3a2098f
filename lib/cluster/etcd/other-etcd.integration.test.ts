import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { connect } from "#lib/cluster/connection/connect.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { countObjects } from "#lib/cluster/objects/object-counts.ts";
import { chooseContexts, chooseEtcd } from "#lib/cluster/testing/choose-contexts.ts";
import { compactEtcd } from "#lib/cluster/testing/compact-etcd.ts";
import { type ApiClient, apiClient } from "#lib/local-cluster/api-client.ts";
import { type Etcd, type EtcdEntry, putIntoEtcd, readEtcd } from "#lib/local-cluster/etcd.ts";
import { createDefinition, objectName, type SampleDefinition, type SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { type LocalCluster, startLocalCluster } from "#lib/local-cluster/start-local-cluster.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { countInEtcd } from "./count-in-etcd.ts";

const shared = await openTestBench();
const versions: SampleVersion[] = [{ name: "v1", storage: true }, { name: "v1beta1" }];

/** A cluster of this file's own, which encrypts the widgets of one group. */
const encryptedGroup = "encrypted.example.com";
let own: LocalCluster;
let ownApi: ApiClient;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "crdshift-encryption-"));
  const file = path.join(directory, "encryption.json");
  const keys = [{ name: "key1", secret: randomBytes(32).toString("base64") }];
  const config = {
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "EncryptionConfiguration",
    resources: [{ resources: [`widgets.${encryptedGroup}`], providers: [{ aescbc: { keys } }, { identity: {} }] }],
  };
  await writeFile(file, JSON.stringify(config), { mode: 0o600 });
  own = await startLocalCluster({ apiServerArgs: [`--encryption-provider-config=${file}`] });
  ownApi = apiClient(own);
});
afterAll(async () => {
  ownApi.close();
  await own.stop();
  await rm(directory, { recursive: true });
});

async function defineOn(api: ApiClient, group?: string): Promise<SampleDefinition> {
  const definition = await createDefinition(api, versions, group === undefined ? {} : { group });
  onTestFinished(() => definition.remove());
  return definition;
}

async function ownConnection(): Promise<Connection> {
  await chooseContexts(own, { name: "own cluster" });
  return connect("own cluster");
}

async function countsOf(connection: Connection, definition: SampleDefinition) {
  const { crd } = await readCrd(connection, definition.name, soon());
  const counts = (await Array.fromAsync(countObjects(connection, crd, soon()))).at(-1);
  return { counts, stored: Object.fromEntries(counts?.versions.map(({ name, stored }) => [name, stored]) ?? []) };
}

const textOf = (entry: EtcdEntry | undefined) => Buffer.from(entry?.value ?? []).toString("latin1");

/** Changes the definition so that its resourceVersion is far above all of the other etcd's. */
async function changeBeyond(definition: SampleDefinition, key: string, otherEtcd: Etcd): Promise<void> {
  const revision = async (etcd: Etcd) => (await readEtcd(etcd, key))[0]?.modRevision ?? 0n;
  const beyond = (await revision(otherEtcd)) + 100n;
  while ((await revision(shared.cluster.etcd)) < beyond) {
    for (let write = 0; write < 100; write++) await putIntoEtcd(shared.cluster.etcd, "/crdshift-test-revision", String(write));
    await shared.api.mergePatch(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.name}`, {
      metadata: { labels: { changed: randomBytes(4).toString("hex") } },
    });
  }
}

const bounds = (atLeast: number, atMost: number, basis: string) => ({ atLeast, atMost, basis });

// Without mismatchOf (count-in-etcd.ts) the other cluster's objects are counted, with the uid alone those of its copy; with neither yielded
// ("not-ours") there is no message.
test("does not count another cluster's objects, nor those of an older copy of this one, and says so", async () => {
  const here = await defineOn(shared.api);
  await here.createObjects("v1", 2);
  const there = await defineOn(ownApi, here.group);
  await there.createObjects("v1", 5);
  chooseEtcd(own.etcd);
  const declared = { v1: bounds(2, 2, "declared"), v1beta1: bounds(0, 0, "declared") };
  const other = await countsOf(shared.connection, here);
  expect(other.stored).toEqual(declared);
  const told = (what: string) =>
    `The configured etcd ${what} under /registry; it may belong to another cluster. These counts are based on the API server alone.`;
  expect(other.counts).toMatchObject({ message: told("has a different definition with this name"), etcd: null });
  chooseEtcd(own.etcd, { PREFIX: "elsewhere" });
  const { counts } = await countsOf(shared.connection, here);
  expect(counts).toMatchObject({ message: expect.stringContaining("doesn't have this definition under /elsewhere;"), etcd: null });
  chooseEtcd(own.etcd, { PREFIX: "registry" });

  const key = `/registry/apiextensions.k8s.io/customresourcedefinitions/${here.name}`;
  const [original] = await readEtcd(own.etcd, key);
  await changeBeyond(here, key, own.etcd);
  const [newer] = await readEtcd(shared.cluster.etcd, key);
  await putIntoEtcd(own.etcd, key, textOf(newer));
  const older = await countsOf(shared.connection, here);
  await putIntoEtcd(own.etcd, key, textOf(original));
  expect(older.stored).toEqual(declared);
  expect(older.counts).toMatchObject({ message: told("has only an older copy of this definition"), etcd: null });
});

// With values taken for plain text (stored-value.ts without its first line) they are told as of another format.
test("knows nothing of encrypted values but their number, and says so; of plain ones beside them, all", async () => {
  const definition = await defineOn(ownApi, encryptedGroup);
  await definition.createObjects("v1", 4);
  const connection = await ownConnection();
  chooseEtcd(own.etcd);
  const [first] = await readEtcd(own.etcd, `/registry/${encryptedGroup}/widgets/`);
  expect(textOf(first)).toMatch(/^k8s:enc:aescbc:v1:key1:/);

  const all = await countsOf(connection, definition);
  expect(all.stored).toEqual({ v1: bounds(4, 4, "declared"), v1beta1: bounds(0, 0, "declared") });
  expect(all.counts).toMatchObject({ total: 4, etcd: { total: 4, read: 4, encrypted: 4 } });
  expect(all.counts?.message).toBe("In etcd, 4 objects are encrypted, so their stored version can't be read.");

  const plain = await ownApi.get(definition.path("v1", { name: objectName(0) }));
  await putIntoEtcd(own.etcd, first?.key ?? "", JSON.stringify({ ...plain, apiVersion: `${encryptedGroup}/v1beta1` }));
  const mixed = await countsOf(connection, definition);
  expect(mixed.stored).toEqual({ v1: bounds(0, 3, "etcd"), v1beta1: bounds(1, 4, "etcd") });
  expect(mixed.counts?.message).toContain("3 objects are encrypted");
});

// Without the case "compacted" (count-in-etcd.ts) the reading fails; without `restarted` (count-in-etcd.ts) the first page counts twice.
test("begins again when its revision is compacted between two pages", async () => {
  const definition = await defineOn(ownApi);
  await definition.createObjects("v1", 30);
  const { crd } = await readCrd(await ownConnection(), definition.name, soon());
  chooseEtcd(own.etcd);
  const counting = countInEtcd(crd, soon());
  const first = await counting.next();
  expect(first.value).toMatchObject({ kind: "growing", count: { total: 30 } });
  const firstRevision = first.value?.kind === "growing" && first.value.count.revision;
  await ownApi.delete(definition.path("v1", { name: objectName(29) }));
  await compactEtcd(own.etcd);
  const last = (await Array.fromAsync(counting)).at(-1);
  expect(last).toMatchObject({ kind: "complete", count: { total: 29 } });
  expect(last?.kind === "complete" && last.count.versions.get("v1")?.objects).toBe(29);
  expect(last?.kind === "complete" && last.count.revision).not.toBe(firstRevision);
});
