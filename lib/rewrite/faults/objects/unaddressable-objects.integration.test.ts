import { randomBytes, randomUUID } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { putIntoEtcd, readEtcd } from "#lib/local-cluster/etcd.ts";
import { createDefinition, objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { cleanManagedFields } from "#lib/rewrite/managed-fields/clean-managed-fields.ts";
import { faultTest } from "#lib/rewrite/testing/bench/fault-test.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { afterFlip, beforeFlip } from "#lib/rewrite/testing/bench/stale-definition.ts";

const bench = await openTestBench();
const { api, cluster, connection } = bench;

const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const ZOMBIE = "zombie";
const OBJECTS = 3;

/** A definition with objects of its own, and one that a definition of another scope left in etcd: the usual end of a stuck deletion. */
async function recreated(was: "Namespaced" | "Cluster", is: "Namespaced" | "Cluster", names: string[] = []): Promise<SampleDefinition> {
  const group = `g${randomBytes(5).toString("hex")}.example.com`;
  const first = await createDefinition(api, beforeFlip, { group, scope: was });
  const create = (definition: SampleDefinition, name: string, finalizers?: string[]) =>
    api.create(definition.path("v1beta1", { name: "" }), {
      ...{ apiVersion: `${group}/v1beta1`, kind: "Widget", metadata: { name, ...(finalizers && { finalizers }) }, spec: { size: 1 } },
    });
  await create(first, ZOMBIE, ["example.com/hold"]);
  await removeNow(first);
  const definition = await createDefinition(api, beforeFlip, { group, scope: is });
  onTestFinished(() => removeNow(definition));
  await definition.createObjects("v1beta1", OBJECTS);
  for (const name of names) await create(definition, name);
  await bench.flip(definition, afterFlip);
  return definition;
}

async function removeNow(definition: SampleDefinition): Promise<void> {
  await definition.remove();
  await api.mergePatch(`${CRDS}/${definition.name}`, { metadata: { finalizers: null } }).catch(() => {});
  const isThere = (answer: Promise<unknown>) =>
    answer.then(
      () => true,
      () => false,
    );
  // What creates it again must not meet what the API server still serves of the old one.
  const left = () => Promise.all([definition.read(), api.list(`${definition.path("v1beta1")}?limit=1`)].map(isThere));
  await expect.poll(left, { timeout: 30_000 }).toEqual([false, false]);
}

// Without whyUnaddressable (why-unaddressable.ts) the first counts as gone, so that the run is proven, and the other stops the run.
test.each([
  { was: "Namespaced", is: "Cluster", namespace: "default", why: /in namespace default, but the definition's scope is Cluster/ },
  { was: "Cluster", is: "Namespaced", namespace: "", why: /in no namespace, but the definition's scope is Namespaced/ },
] as const)("an object left by a definition of scope $was is rejected when the scope is $is", async ({ was, is, namespace, why }) => {
  const definition = await recreated(was, is);
  const rejections = [expect.objectContaining({ message: expect.stringMatching(why), examples: [{ namespace, name: ZOMBIE }] })];
  expect(await bench.dryRun(definition)).toMatchObject({ phase: "succeeded", dryRun: { gone: 0, wouldBeRejected: 1, rejections } });
  const ended = await bench.rewrite(definition, { acceptUnseen: true });
  expect(ended).toMatchObject({
    phase: "unproven",
    counts: { total: OBJECTS + 1, rewritten: OBJECTS, gone: 0, rejected: 1 },
    rejections,
  });
  expect((await readDetail(connection, definition.name, soon())).state).toBe("blocked");
  await expect(pruneStoredVersions(connection, definition.name, definition.name, soon())).rejects.toMatchObject({
    code: "precondition_failed",
  });
  const { crd } = await readCrd(connection, definition.name, soon());
  const cleaned = (await Array.fromAsync(cleanManagedFields(connection, crd, { versions: ["v1beta1"] }, soon()))).at(-1);
  expect(cleaned).toMatchObject({ complete: true, gone: 0, rejected: 1, rejections });
  expect(await bench.storedAs(definition)).toEqual({ v1: OBJECTS, v1beta1: 1 });
});

// Without whyUnaddressable (why-unaddressable.ts) the requests for the old object meet the new one, which passes the dry run for it.
test("an object left by a definition of another scope isn't taken for one of the same name", async () => {
  const definition = await recreated("Namespaced", "Cluster", [ZOMBIE]);
  // The API server's cache has one of the two: the one that was written last.
  const old = (await readEtcd(cluster.etcd, `/registry/${definition.group}/widgets/default/`))[0];
  await putIntoEtcd(
    cluster.etcd,
    `/registry/${definition.group}/widgets/default/${ZOMBIE}`,
    Buffer.from(old?.value ?? "").toString("utf8"),
  );
  const namespaces = async () => (await api.list(definition.path("v1"))).items.map(({ metadata }) => metadata.namespace);
  await expect.poll(namespaces).toContain("default");
  const rejections = [expect.objectContaining({ reason: "Unaddressable", examples: [{ namespace: "default", name: ZOMBIE }] })];
  expect(await bench.dryRun(definition)).toMatchObject({ phase: "succeeded", dryRun: { wouldBeRejected: 1, rejections } });
  expect(await bench.rewrite(definition, { acceptUnseen: true })).toMatchObject({
    ...{ phase: "unproven", counts: { rewritten: OBJECTS, gone: 0, rejected: 1 }, rejections },
  });
});

// Without stillListed (still-listed.ts) the first counts as gone, so that the run is proven.
faultTest("an object in etcd under a key that doesn't fit its name is rejected; one with an odd name is rewritten", async (faults) => {
  const { stale, dryRun, rewrite, storedAs } = faults;
  const definition = await stale(OBJECTS);
  const old = (await definition.storedValues(cluster.etcd)).get(objectName(0))?.text ?? "";
  const put = async (key: string, name: string) => {
    const value = JSON.parse(old) as { metadata: { name: string; uid: string } };
    Object.assign(value.metadata, { name, uid: randomUUID() });
    await putIntoEtcd(cluster.etcd, `/registry/${definition.group}/widgets/default/${key}`, JSON.stringify(value));
  };
  await put("key", "name");
  await put("Odd_Name", "Odd_Name");
  const rejections = [expect.objectContaining({ reason: "Unaddressable", examples: [{ namespace: "default", name: "name" }] })];
  expect(await dryRun(definition)).toMatchObject({ phase: "succeeded", dryRun: { gone: 0, wouldBeRejected: 1, rejections } });
  const counts = { total: OBJECTS + 2, rewritten: OBJECTS + 1, gone: 0, rejected: 1, remaining: 0 };
  expect(await rewrite(definition, { acceptUnseen: true })).toMatchObject({ phase: "unproven", counts, rejections });
  expect(await storedAs(definition)).toEqual({ v1: OBJECTS + 1, v1beta1: 1 });
});
