import { expect, test } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { crdState } from "#lib/domain/definition/crd-state.ts";
import { putIntoEtcd } from "#lib/local-cluster/etcd.ts";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { controlOf } from "#lib/rewrite/run/running.ts";
import { removeVersion } from "#lib/rewrite/spec-change/remove-version.ts";
import { faultTest, listOf, past, patchOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";
import { denyUpdatesOfFrozen } from "#lib/rewrite/testing/webhooks/deny-updates.ts";

const { api, cluster, connection, stale, start, rewritten, rewrite, storedAs } = await openTestBench();
const OBJECTS = 12;
const ONE = objectName(0);

const prune = (definition: SampleDefinition) => pruneStoredVersions(connection, definition.name, definition.name, soon());

/** A proven definition in which the first object has since been stored at the old version again, above the settle point. */
async function provenWithAStaleObject(): Promise<SampleDefinition> {
  const definition = await stale(OBJECTS, { spec: (index) => ({ frozen: index === 0 }) });
  const old = (await definition.storedValues(cluster.etcd)).get(ONE)?.text ?? "";
  expect(await rewrite(definition)).toMatchObject({ phase: "succeeded" });
  await putIntoEtcd(cluster.etcd, `/registry/${definition.group}/widgets/default/${ONE}`, old);
  expect(await storedAs(definition)).toEqual({ v1: OBJECTS - 1, v1beta1: 1 });
  return definition;
}

async function stateOf(definition: SampleDefinition): Promise<string> {
  const { crd } = await readCrd(connection, definition.name, soon());
  return crdState(crd, { total: OBJECTS, conversionFailure: null }, Date.now()).state;
}

// Without onDisproof (pass.ts) the proof, the settle point and "prunable" stay, and the prune answers 200.
test("a rewrite of every object that an object above the settle point rejects ends the proof, and the prune is refused", async () => {
  const definition = await provenWithAStaleObject();
  expect(await stateOf(definition)).toBe("prunable");
  await denyUpdatesOfFrozen(api, definition);
  expect(await rewrite(definition, { verify: "every-object", acceptUnseen: true })).toMatchObject({
    ...{ phase: "unproven", counts: { rejected: 1 } },
  });
  expect(await readRecord(definition)).toMatchObject({ proof: null, settlePoint: null });
  expect(await stateOf(definition)).toBe("blocked");
  await expect(prune(definition)).rejects.toMatchObject({ code: "precondition_failed" });
  expect((await definition.read()).status.storedVersions).toEqual(["v1beta1", "v1"]);
});

// Without settling again (rewrite-until-proven.ts) the new proof rests on the settle point that was just shown to be wrong.
faultTest("an object above the settle point that changes ends the proof at once, and a new settle point is taken", async (bench) => {
  const definition = await bench.stale(OBJECTS);
  const old = (await definition.storedValues(cluster.etcd)).get(ONE)?.text ?? "";
  expect(await bench.rewrite(definition)).toMatchObject({ phase: "succeeded" });
  const before = await readRecord(definition);
  await putIntoEtcd(cluster.etcd, `/registry/${definition.group}/widgets/default/${ONE}`, old);
  let lists = 0;
  // The third list begins the pass after the one that found it.
  const third = bench.proxy.hold((request) => listOf(definition)(request) && ++lists === 3, "before");
  const { id } = await bench.start(definition, { verify: "every-object", acceptUnseen: true });
  await third.reached;
  const during = await readRecord(definition);
  expect(during.proof).toBeNull();
  expect(BigInt(during.settlePoint?.resourceVersion ?? 0)).toBeGreaterThan(BigInt(before.settlePoint?.resourceVersion ?? 0));
  third.release();
  expect(await bench.endOf(definition, id)).toMatchObject({ phase: "succeeded", counts: { rewritten: 1 } });
  const after = await readRecord(definition);
  expect(after.proof?.settleResourceVersion).toBe(during.settlePoint?.resourceVersion);
  expect(await bench.storedAs(definition)).toEqual({ v1: OBJECTS });
});

// Without unanswered (movedTo in patch-object.ts) the other writer's change ends the proof; above the settle point, that, too.
for (const { where, verify } of [
  { where: "above the settle point that is being deleted", verify: "settle-point" },
  { where: "below the settle point", verify: "every-object" },
] as const) {
  faultTest(`someone else's write to an object ${where} disproves nothing`, async (bench) => {
    const { proxy } = bench;
    const definition = await bench.stale(OBJECTS);
    const path = definition.path("v1", { name: ONE });
    const write = (metadata: object) => api.mergePatch(path, { metadata });
    await write({ finalizers: ["example.com/hold"] });
    expect(await bench.rewrite(definition)).toMatchObject({ phase: "succeeded" });
    if (verify === "settle-point") await api.delete(path);
    const { proof, settlePoint } = await readRecord(definition);
    const first = proxy.hold(patchOf(definition, ONE), "before");
    const second = proxy.hold(past(1, patchOf(definition, ONE)), "before");
    const { id } = await bench.start(definition, { verify, acceptUnseen: true });
    await first.reached;
    await write({ labels: { moved: "yes" } });
    first.release();
    await second.reached;
    expect(await readRecord(definition)).toMatchObject({ proof, settlePoint });
    second.release();
    expect(await bench.endOf(definition, id)).toMatchObject({ phase: "succeeded", counts: { rewritten: 0, alreadyCurrent: OBJECTS } });
    expect(await readRecord(definition)).toMatchObject({ settlePoint });
    await write({ finalizers: null });
  });
}

// Without lost() (own-record.ts) it writes on until the next renewal, up to 15 s later, and nobody is told.
test("a run whose record is removed stops at once, and an Event says so", async () => {
  const definition = await stale(400);
  const { id } = await start(definition, { acceptUnseen: true, maxPerSecond: 40 });
  await rewritten(definition, id, 5);
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.name}`;
  await api.mergePatch(path, { metadata: { annotations: { "crdshift.dev/rewrite": null } } });
  await expect.poll(() => controlOf({ crd: definition.name, id }), { timeout: 10_000, interval: 10 }).toBeNull();
  const { v1 } = await storedAs(definition);
  expect(v1).toBeLessThan(400);
  const events = () =>
    api.list<{ metadata: { name: string; annotations?: Record<string, string> }; reason: string; message: string }>(
      `/api/v1/namespaces/default/events?fieldSelector=involvedObject.name=${definition.name}`,
    );
  await expect
    .poll(async () => (await events()).items.map(({ reason, message }) => `${reason}: ${message}`))
    .toContainEqual(expect.stringMatching(/^RewriteFailed: The rewrite stopped\. Its record was removed/));
  expect((await events()).items.some(({ metadata }) => metadata.annotations?.["crdshift.dev/run"] === id)).toBe(true);
  expect(await storedAs(definition)).toMatchObject({ v1 });
});

// Without doubtOf (doubt.ts) the state is "current", and the removal makes the object unreadable.
test("after a prune, a rewrite that can't verify an object blocks the definition and the version's removal", async () => {
  const definition = await stale(OBJECTS, { spec: (index) => ({ frozen: index === 0 }) });
  const old = (await definition.storedValues(cluster.etcd)).get(ONE)?.text ?? "";
  expect(await rewrite(definition)).toMatchObject({ phase: "succeeded" });
  await prune(definition);
  await definition.setVersions([
    { name: "v1", storage: true },
    { name: "v1beta1", served: false },
  ]);
  await putIntoEtcd(cluster.etcd, `/registry/${definition.group}/widgets/default/${ONE}`, old);
  await denyUpdatesOfFrozen(api, definition);
  expect(await rewrite(definition, { verify: "every-object", acceptUnseen: true })).toMatchObject({
    ...{ phase: "unproven", counts: { rejected: 1 } },
  });
  const { crd } = await readCrd(connection, definition.name, soon());
  expect(crdState(crd, { total: OBJECTS, conversionFailure: null }, Date.now())).toMatchObject({
    state: "blocked",
    reason: expect.stringContaining("could not verify 1 object"),
  });
  await expect(removeVersion(connection, definition.name, "v1beta1", { confirm: "v1beta1" }, soon())).rejects.toMatchObject({
    message: expect.stringContaining("could not verify 1 object"),
  });
});
