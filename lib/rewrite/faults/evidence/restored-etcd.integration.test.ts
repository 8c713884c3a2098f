import { expect, test } from "vitest";
import { putIntoEtcd, readEtcd } from "#lib/local-cluster/etcd.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";
import { writeRecord } from "#lib/rewrite/testing/record/write-record.ts";

// A restore of etcd brings back old objects and the definition as it was; an export of it, applied again, brings back its proof.

const { api, cluster, connection, stale, dryRun, rewrite } = await openTestBench();
const OBJECTS = 5;
const prune = (definition: SampleDefinition) => pruneStoredVersions(connection, definition.name, definition.name, soon());

/** Proven, then as it was before that, with the proof applied again by kubectl. */
async function restored(): Promise<SampleDefinition> {
  const definition = await stale(OBJECTS);
  const objects = await definition.storedValues(cluster.etcd);
  const key = `/registry/apiextensions.k8s.io/customresourcedefinitions/${definition.name}`;
  const [before] = await readEtcd(cluster.etcd, key);
  expect(await rewrite(definition, { acceptUnseen: true })).toMatchObject({ phase: "succeeded" });
  const record = await readRecord(definition);
  await putIntoEtcd(cluster.etcd, key, Buffer.from(before?.value ?? []).toString("utf8"));
  for (const [name, { text }] of objects) await putIntoEtcd(cluster.etcd, `/registry/${definition.group}/widgets/default/${name}`, text);
  await expect.poll(async () => (await definition.read()).metadata.annotations?.["crdshift.dev/rewrite"] ?? null).toBeNull();
  await writeRecord(api, definition, record, "kubectl");
  return definition;
}

// Without isWrittenByCrdshift (crd-from-json.ts) the prune answers 200, with every object stored as v1beta1.
test("a signed proof that someone else applies again is verified before a prune, and found false", async () => {
  const definition = await restored();
  await expect(prune(definition)).rejects.toMatchObject({
    code: "precondition_failed",
    message: expect.stringContaining(
      `${OBJECTS} objects had been stored at an older version or without a default, encrypted with an earlier key, or changed by a webhook or policy`,
    ),
  });
  expect((await definition.read()).status.storedVersions).toEqual(["v1beta1", "v1"]);
});

// By then crdshift is the annotation's last writer again, but the signature is gone from the record.
test("such a proof stays one to verify after crdshift itself has written the annotation", async () => {
  const definition = await restored();
  expect(await dryRun(definition)).toMatchObject({ phase: "succeeded" });
  expect(await readRecord(definition)).toMatchObject({ proof: { signature: null }, dryRun: { wouldBeRejected: 0 } });
  await expect(prune(definition)).rejects.toMatchObject({ code: "precondition_failed" });
  expect((await definition.read()).status.storedVersions).toEqual(["v1beta1", "v1"]);
});
