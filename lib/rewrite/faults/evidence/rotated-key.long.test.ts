import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { connect } from "#lib/cluster/connection/connect.ts";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { apiClient } from "#lib/local-cluster/api-client.ts";
import { readEtcd } from "#lib/local-cluster/etcd.ts";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { startLocalCluster } from "#lib/local-cluster/start-local-cluster.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { startRewrite } from "#lib/rewrite/commands/start-rewrite.ts";
import { benchOn, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";
import { chooseKubeconfig } from "#lib/settings/env.ts";

const OBJECTS = 5;

/** A cluster whose etcd is encrypted with the key `one`, and later with `two`. */
async function encryptedCluster() {
  const directory = await mkdtemp(path.join(tmpdir(), "crdshift-encrypted-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const file = path.join(directory, "encryption.json");
  const [one, two] = ["one", "two"].map((name) => ({ name, secret: randomBytes(32).toString("base64") }));
  const encryptWith = (keys: unknown[]) => {
    const resources = [{ resources: ["*.*"], providers: [{ aescbc: { keys } }, { identity: {} }] }];
    return writeFile(file, JSON.stringify({ kind: "EncryptionConfiguration", apiVersion: "apiserver.config.k8s.io/v1", resources }));
  };
  await encryptWith([one]);
  const apiServerArgs = [`--encryption-provider-config=${file}`, "--encryption-provider-config-automatic-reload=true"];
  const cluster = await startLocalCluster({ apiServerArgs });
  onTestFinished(cluster.stop);
  return { cluster, rotate: () => encryptWith([two, one]) };
}

// crdshift said that these objects had been stored at an older version, which was false.
test("after the key that encrypts etcd was rotated, a rewrite of every object says what it may have found, and ends proven", async () => {
  const { cluster, rotate } = await encryptedCluster();
  chooseKubeconfig(cluster.kubeconfig);
  const api = apiClient(cluster);
  onTestFinished(() => void api.close());
  const connection = await connect(cluster.context);
  const { stale, rewrite, run, endOf } = benchOn(cluster, api, connection);
  const definition = await stale(OBJECTS);
  expect(await rewrite(definition, { acceptUnseen: true })).toMatchObject({ phase: "succeeded" });
  await pruneStoredVersions(connection, definition.name, definition.name, soon());

  await rotate();
  const keys = async ({ group }: SampleDefinition) =>
    (await readEtcd(cluster.etcd, `/registry/${group}/widgets/`)).map(({ value }) => Buffer.from(value).toString("latin1").split(":")[4]);
  const poke = () => api.mergePatch(definition.path("v1", { name: objectName(0) }), { spec: { poke: String(Date.now()) } });
  await expect.poll(async () => [await poke(), await keys(definition)][1], { timeout: 150_000, interval: 1_000 }).toContain("two");
  const { id } = await startRewrite(connection, definition.name, {
    ...{ verify: "every-object", acceptUnseen: true, settleSeconds: 5, signal: soon() },
  });
  await expect
    .poll(async () => (await run(definition, id)).statusReason, { timeout: 60_000, interval: 100 })
    .toMatch(/found stored at an older version or without a default, encrypted with an earlier key, or changed by a webhook or policy/);
  expect(await endOf(definition, id)).toMatchObject({ phase: "succeeded", counts: { rewritten: OBJECTS - 1, rejected: 0 } });
  expect(await keys(definition)).toEqual(Array.from({ length: OBJECTS }, () => "two"));
  expect(await readRecord(definition)).toMatchObject({ proof: { runId: id }, doubt: null });
  expect(await readDetail(connection, definition.name, soon())).toMatchObject({ state: "current", proof: { objects: OBJECTS } });
});
