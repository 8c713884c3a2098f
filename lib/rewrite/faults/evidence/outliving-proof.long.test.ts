import { expect, onTestFinished } from "vitest";
import { putIntoEtcd } from "#lib/local-cluster/etcd.ts";
import { objectName, type SampleDefinition, type SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { cancelRewrite } from "#lib/rewrite/commands/cancel-rewrite.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { type FaultBench, faultTest, listOf, patchOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import type { TestBench } from "#lib/rewrite/testing/bench/test-bench.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";
import { writeRecord } from "#lib/rewrite/testing/record/write-record.ts";
import { denyUpdatesOfFrozen } from "#lib/rewrite/testing/webhooks/deny-updates.ts";

// A proof that must not outlive what disproves it, however the run that disproves it goes on.

const OBJECTS = 12;
const ONE = objectName(0);
const everyObject = { verify: "every-object", acceptUnseen: true } as const;

const prune = ({ connection }: TestBench, definition: SampleDefinition) =>
  pruneStoredVersions(connection, definition.name, definition.name, soon());

async function put({ cluster }: TestBench, definition: SampleDefinition, text: string, name = ONE): Promise<void> {
  await putIntoEtcd(cluster.etcd, `/registry/${definition.group}/widgets/default/${name}`, text);
}

/** A proven definition whose first object is frozen, and that object's old value. */
async function proven(bench: FaultBench, count = OBJECTS): Promise<{ definition: SampleDefinition; old: string }> {
  const definition = await bench.stale(count, { spec: (index) => ({ frozen: index === 0 }) });
  const old = (await definition.storedValues(bench.cluster.etcd)).get(ONE)?.text ?? "";
  expect(await bench.rewrite(definition)).toMatchObject({ phase: "succeeded" });
  return { definition, old };
}

// Without withoutWithdrawn in finishRun the proof stays, and the prune answers 200.
faultTest("a run that is cancelled while it withdraws a proof ends without that proof", async (bench) => {
  const { definition, old } = await proven(bench);
  await put(bench, definition, old);
  await denyUpdatesOfFrozen(bench.api, definition);
  let isDenied = false;
  const reading = bench.proxy.hold(({ method, path, headers }) => {
    if (method === "PATCH" && path.includes(`/${definition.group}/`) && path.includes(ONE)) isDenied = true;
    // Only its metadata is read to see whether it is unchanged.
    const isWhole = headers.accept === "application/json";
    return isDenied && isWhole && method === "GET" && path.endsWith(`/customresourcedefinitions/${definition.name}`);
  }, "before");
  const { id } = await bench.start(definition, everyObject);
  await reading.reached;
  const cancelling = cancelRewrite(bench.connection, definition.name, id, soon());
  await expect.poll(async () => (await bench.run(definition, id)).command, { interval: 10 }).toBe("cancel");
  reading.release();
  expect(await cancelling).toMatchObject({ phase: "cancelled" });
  expect(await readRecord(definition)).toMatchObject({ proof: null, settlePoint: null });
  await expect(prune(bench, definition)).rejects.toMatchObject({ code: "precondition_failed" });
});

// With the find noted only after disown (end-of-write.ts) the proof stays, and no later run finds the object again.
faultTest("a run that is cancelled right after it changed an object ends the proof", async (bench) => {
  const typed = (mode: object) => ({ size: { type: "integer" }, mode: { type: "string", ...mode } });
  const versions = (storage: string): SampleVersion[] => [
    { name: "v1", storage: storage === "v1", properties: typed({ default: "fast" }) },
    { name: "v1beta1", storage: storage === "v1beta1", properties: typed({}) },
  ];
  const definition = await bench.define(versions("v1beta1"));
  await definition.createObjects("v1beta1", OBJECTS, (index) => ({ size: index }));
  const old = (await definition.storedValues(bench.cluster.etcd)).get(ONE)?.text ?? "";
  await bench.flip(definition, versions("v1"));
  expect(await bench.rewrite(definition)).toMatchObject({ phase: "succeeded" });
  await put(bench, definition, old);
  // It stores the default with the object, and then takes back its own entry in managedFields.
  const disowning = bench.proxy.hold((request) => patchOf(definition, ONE)(request) && request.body.includes("managedFields"), "before");
  const { id } = await bench.start(definition, everyObject);
  await disowning.reached;
  const cancelling = cancelRewrite(bench.connection, definition.name, id, soon());
  await expect.poll(async () => (await bench.run(definition, id)).command, { interval: 10 }).toBe("cancel");
  disowning.release();
  expect(await cancelling).toMatchObject({ phase: "cancelled" });
  expect(await bench.storedAs(definition)).toEqual({ v1: OBJECTS });
  expect(await readRecord(definition)).toMatchObject({ proof: null, settlePoint: null });
});

// With the signature alone withdrawn (evidence-signature.ts) the older proof counts again, and the prune answers 200.
faultTest("an older signed proof that is put back after the disproof is not believed", async (bench) => {
  const { definition, old } = await proven(bench);
  const first = await readRecord(definition);
  expect(await bench.rewrite(definition, everyObject)).toMatchObject({ phase: "succeeded" });
  await put(bench, definition, old);
  await denyUpdatesOfFrozen(bench.api, definition);
  expect(await bench.rewrite(definition, everyObject)).toMatchObject({ phase: "unproven" });
  await writeRecord(bench.api, definition, first);
  await expect(prune(bench, definition)).rejects.toMatchObject({ message: expect.stringContaining("The proof no longer holds") });
});

// With only rejections taken for a disproof (disproves in rewrite-objects.ts) the first installation prunes with objects left at v1beta1.
faultTest("an object that another installation's rewrite changes ends this one's proof", async (bench) => {
  const key = (byte: number) => Buffer.alloc(32, byte).toString("base64");
  onTestFinished(() => {
    delete process.env.CRDSHIFT_SESSION_KEYS;
  });
  process.env.CRDSHIFT_SESSION_KEYS = key(1);
  const definition = await bench.stale(200);
  const old = await definition.storedValues(bench.cluster.etcd);
  expect(await bench.rewrite(definition)).toMatchObject({ phase: "succeeded" });
  for (const [name, { text }] of old) await put(bench, definition, text, name);
  process.env.CRDSHIFT_SESSION_KEYS = key(2);
  const { id } = await bench.start(definition, { ...everyObject, maxPerSecond: 20 });
  // Cancelled before a write's answer, it would have found nothing.
  await expect.poll(async () => (await readRecord(definition)).proof, { interval: 50 }).toBeNull();
  await cancelRewrite(bench.connection, definition.name, id, soon());
  process.env.CRDSHIFT_SESSION_KEYS = key(1);
  expect((await bench.storedAs(definition)).v1beta1).toBeGreaterThan(0);
  await expect(prune(bench, definition)).rejects.toMatchObject({ code: "precondition_failed" });
});

// Without unanswered (patch-object.ts) the object counts as current, and the old settle point proves it.
faultTest("a disproof whose answer is lost is still one", async (bench) => {
  const { definition, old } = await proven(bench);
  const before = await readRecord(definition);
  await put(bench, definition, old);
  const lost = bench.proxy.inject(patchOf(definition, ONE), { kind: "reset", when: "after" }, 1);
  expect(await bench.rewrite(definition, everyObject)).toMatchObject({ phase: "succeeded" });
  expect(lost.hits()).toBe(1);
  expect((await readRecord(definition)).proof?.settleResourceVersion).not.toBe(before.settlePoint?.resourceVersion);
});

// With the disproof counted in the list's result (rewrite-objects.ts) it is forgotten when the list restarts.
faultTest("a disproof that arrives after the list has restarted is still one", async (bench) => {
  const { proxy } = bench;
  const { definition, old } = await proven(bench, 120);
  const before = await readRecord(definition);
  await put(bench, definition, old);
  const patch = proxy.hold(patchOf(definition, ONE), "after");
  const isSecondPage: Parameters<typeof proxy.hold>[0] = (request) => listOf(definition)(request) && request.path.includes("continue=");
  const body = JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", code: 410, reason: "Expired", message: "expired" });
  let pages = 0;
  // The second pass's second page, once the patch of the first object is under way.
  const page = proxy.hold((request) => isSecondPage(request) && ++pages === 2, "before");
  const headers = { "content-type": "application/json" };
  const expired = proxy.inject((request) => isSecondPage(request) && pages === 2, { kind: "answer", status: 410, headers, body }, 1);
  const { id } = await bench.start(definition, everyObject);
  await patch.reached;
  await page.reached;
  page.release();
  await expect.poll(expired.hits).toBe(1);
  const firstPages = () => proxy.seen.filter((request) => listOf(definition)(request) && !request.path.includes("continue=")).length;
  // Each pass lists once, and the list that expired begins again.
  await expect.poll(firstPages).toBeGreaterThan(2);
  patch.release();
  expect(await bench.endOf(definition, id)).toMatchObject({ phase: "succeeded" });
  expect((await readRecord(definition)).proof?.settleResourceVersion).not.toBe(before.settlePoint?.resourceVersion);
});

// Without the check above the settle point (write-in-turn.ts) the note is gone, and nobody was asked.
faultTest("an object that a slow deletion stored above the settle point keeps a field that the storage version lacks", async (bench) => {
  const versions = (storage: string): SampleVersion[] => [
    { name: "v1", storage: storage === "v1", properties: {} },
    { name: "v1beta1", storage: storage === "v1beta1", properties: { note: { type: "string" } } },
  ];
  const definition = await bench.define(versions("v1beta1"));
  await definition.createObjects("v1beta1", OBJECTS, () => ({}));
  const old = (await definition.storedValues(bench.cluster.etcd)).get(ONE)?.text ?? "";
  await bench.flip(definition, versions("v1"));
  expect(await bench.rewrite(definition)).toMatchObject({ phase: "succeeded" });
  const marked = '"deletionTimestamp":"2026-01-01T00:00:00Z","deletionGracePeriodSeconds":0,"finalizers":["example.com/hold"],';
  await put(bench, definition, old.replace('"metadata":{', `"metadata":{${marked}`).replace('"spec":{', '"spec":{"note":"precious"'));
  const ended = await bench.rewrite(definition);
  expect(ended).toMatchObject({ phase: "unproven", counts: { rejected: 1 } });
  expect(ended.rejections[0]).toMatchObject({ reason: "WouldLose", message: expect.stringContaining("spec.note") });
  expect((await definition.storedValues(bench.cluster.etcd)).get(ONE)?.text).toContain("precious");
  await bench.api.mergePatch(definition.path("v1", { name: ONE }), { metadata: { finalizers: null } });
});

// With the check above the newest settle point only (checkAbove in run-rewrite.ts) the second pass drops the notes between the two.
faultTest("objects between a disproved settle point and the next one keep such fields, too", async (bench) => {
  const versions = (storage: string): SampleVersion[] => [
    { name: "v1", storage: storage === "v1", properties: { size: { type: "integer" } } },
    { name: "v1beta1", storage: storage === "v1beta1", properties: { size: { type: "integer" }, note: { type: "string" } } },
  ];
  const definition = await bench.define(versions("v1beta1"));
  await definition.createObjects("v1beta1", OBJECTS, () => ({ size: 1 }));
  const old = (await definition.storedValues(bench.cluster.etcd)).get(ONE)?.text ?? "";
  await bench.flip(definition, versions("v1"));
  expect(await bench.rewrite(definition)).toMatchObject({ phase: "succeeded" });
  const marked = '"deletionTimestamp":"2026-01-01T00:00:00Z","deletionGracePeriodSeconds":0,"finalizers":["example.com/hold"],';
  // The deleted one loses nothing by the patch that disproves the settle point; the others would.
  await put(bench, definition, old.replace('"metadata":{', `"metadata":{${marked}`));
  for (const index of [1, 2]) {
    const value = old.replaceAll(ONE, objectName(index)).replace('"spec":{', '"spec":{"note":"precious",');
    await put(bench, definition, value, objectName(index));
  }
  expect(await bench.rewrite(definition)).toMatchObject({ phase: "unproven", counts: { rejected: 2 } });
  const values = [...(await definition.storedValues(bench.cluster.etcd)).values()];
  expect(values.filter(({ text }) => text.includes("precious"))).toHaveLength(2);
  await bench.api.mergePatch(definition.path("v1", { name: ONE }), { metadata: { finalizers: null } });
});
