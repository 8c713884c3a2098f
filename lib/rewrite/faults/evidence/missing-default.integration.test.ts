import { setTimeout } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Match } from "#lib/cluster/testing/fault-proxy.ts";
import { putIntoEtcd } from "#lib/local-cluster/etcd.ts";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { faultTest, patchOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import type { TestBench } from "#lib/rewrite/testing/bench/test-bench.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";
import { denyUpdatesOfFrozen } from "#lib/rewrite/testing/webhooks/deny-updates.ts";

const bench = await openTestBench();
const { api, connection, rewrite, storedAs } = bench;

const OBJECTS = 3;
const size = { type: "integer" };
const mode = { type: "string", default: "auto" };
const frozen = { type: "boolean" };
const FOUND = objectName(0);

/** Proven objects, of a definition whose new version has a field with a default. */
async function proven({ api, cluster, define, flip, rewrite }: TestBench = bench) {
  const definition = await define([
    { name: "v1beta1", storage: true, properties: { size, frozen }, hasStatus: true },
    { name: "v1", properties: { size, frozen }, hasStatus: true },
  ]);
  await definition.createObjects("v1beta1", OBJECTS);
  const old = (await definition.storedValues(cluster.etcd)).get(FOUND)?.text ?? "";
  await flip(definition, [
    { name: "v1", storage: true, properties: { size, mode, frozen }, hasStatus: true },
    { name: "v1beta1", properties: { size, frozen }, hasStatus: true },
  ]);
  expect(await rewrite(definition, { acceptUnseen: true })).toMatchObject({ phase: "succeeded" });
  const key = `/registry/${definition.group}/widgets/default/${FOUND}`;
  return {
    definition,
    writeOld: (size: number) => api.mergePatch(definition.path("v1beta1", { name: FOUND }), { spec: { size } }),
    /** As a late write leaves it, whatever its fields. */
    storeOld: (change: (text: string) => string = (text) => text) => putIntoEtcd(cluster.etcd, key, change(old)),
  };
}

/** Prunes on the proof as a crdshift with another key, which verifies it first. */
async function expectPrunedByAnother(definition: SampleDefinition): Promise<void> {
  const { proof } = await readRecord(definition);
  vi.stubEnv("CRDSHIFT_SESSION_KEYS", Buffer.alloc(32, 7).toString("base64"));
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await pruneStoredVersions(connection, definition.name, definition.name, soon())).toMatchObject({ storedVersions: ["v1"] });
  expect((await readRecord(definition)).proof?.runId).toBe(proof?.runId);
}

// Without wasAtStorageVersion (end-of-write.ts) each such object disproves the proof and its settle point.
test("an object that a client has written at the old version since, and so lacks a new default, disproves nothing", async () => {
  const { definition, writeOld } = await proven();
  await writeOld(7);
  expect(await storedAs(definition)).toEqual({ v1: OBJECTS });
  const { settlePoint } = await readRecord(definition);
  const run = await rewrite(definition, { acceptUnseen: true, verify: "every-object" });
  expect(run).toMatchObject({ phase: "succeeded", counts: { rewritten: 0, rejected: 0 } });
  expect(await readRecord(definition)).toMatchObject({ settlePoint, doubt: null });
});

test("while that client goes on, a rewrite that verifies every object still proves it", async () => {
  const { definition, writeOld } = await proven();
  let isOver = false;
  const client = (async () => {
    for (let round = 0; !isOver; round += 1) {
      await writeOld(round).catch(() => {});
      await setTimeout(100);
    }
  })();
  const run = await rewrite(definition, { acceptUnseen: true, verify: "every-object" });
  isOver = true;
  await client;
  expect(run).toMatchObject({ phase: "succeeded" });
});

test("nor does one disprove somebody else's proof", async () => {
  const { definition, writeOld } = await proven();
  await writeOld(7);
  await expectPrunedByAnother(definition);
});

test.each([
  ["an object that is stored at the old version", (text: string) => text],
  ["one, too, that holds a value of the new field there", (text: string) => text.replace('"size":0', '"size":0,"mode":"manual"')],
])("%s disproves it as before", async (_, change) => {
  const { definition, storeOld } = await proven();
  await storeOld(change);
  expect(await storedAs(definition)).toEqual({ v1: OBJECTS - 1, v1beta1: 1 });
  const before = await readRecord(definition);
  expect(await rewrite(definition, { acceptUnseen: true, verify: "every-object" })).toMatchObject({ counts: { rewritten: 1 } });
  expect((await readRecord(definition)).settlePoint?.resourceVersion).not.toBe(before.settlePoint?.resourceVersion);
});

// With the listed generation for the written one (movedTo in patch-object.ts), a lost answer makes it count as current.
faultTest("so does one whose patch was stored, and got no answer", async (faulty) => {
  const { definition, storeOld } = await proven(faulty);
  await storeOld();
  const before = await readRecord(definition);
  const lost = faulty.proxy.inject(patchOf(definition, FOUND), { kind: "reset", when: "after" }, 1);
  expect(await faulty.rewrite(definition, { acceptUnseen: true, verify: "every-object" })).toMatchObject({ phase: "succeeded" });
  expect(lost.hits()).toBe(1);
  expect((await readRecord(definition)).settlePoint?.resourceVersion).not.toBe(before.settlePoint?.resourceVersion);
});

// A write through /status raises no generation, whatever it stores.
test("so does one that only a write through /status could store anew", async () => {
  const { definition, storeOld } = await proven();
  await storeOld((text) => text.replace('"size":0', '"size":0,"frozen":true'));
  const policy = await denyUpdatesOfFrozen(api, definition);
  onTestFinished(() => policy.lift());
  const before = await readRecord(definition);
  const run = await rewrite(definition, { acceptUnseen: true, verify: "every-object", throughStatus: true });
  expect(run).toMatchObject({ phase: "succeeded", counts: { rejected: 0 }, throughStatus: { allowed: true } });
  expect((await readRecord(definition)).settlePoint?.resourceVersion).not.toBe(before.settlePoint?.resourceVersion);
});

const string = { type: "string" };
const phase = { ...string, default: "Pending" };

/** Proven objects, of a definition whose new version has a default in its status. */
async function provenWithStatus({ api, cluster, define, flip, rewrite }: TestBench = bench) {
  const old = { name: "v1beta1", properties: { size }, status: { a: string }, hasStatus: true };
  const definition = await define([
    { ...old, storage: true },
    { ...old, name: "v1" },
  ]);
  await definition.createObjects("v1beta1", OBJECTS);
  for (let index = 0; index < OBJECTS; index += 1) {
    await api.mergePatch(`${definition.path("v1beta1", { name: objectName(index) })}/status`, { status: { a: "set" } });
  }
  const stored = async () => (await definition.storedValues(cluster.etcd)).get(FOUND)?.text ?? "";
  const atOld = await stored();
  await flip(definition, [{ name: "v1", storage: true, properties: { size }, status: { a: string, phase }, hasStatus: true }, old]);
  expect(await rewrite(definition, { acceptUnseen: true })).toMatchObject({ phase: "succeeded" });
  const atNew = await stored();
  expect(atNew).not.toContain("Pending");
  const key = `/registry/${definition.group}/widgets/default/${FOUND}`;
  const put = (text: string) => putIntoEtcd(cluster.etcd, key, text);
  return { definition, stored, put, atOld, atNew };
}

const terminating = (text: string) =>
  text.replace('"metadata":{', '"metadata":{"deletionTimestamp":"2020-01-01T00:00:00Z","finalizers":["example.com/held"],');
const everyObject = { acceptUnseen: true, verify: "every-object" } as const;

// Without shownBefore (patch-object.ts) each of them disproves its own proof and settle point: the patch that moves an object to the new version
// stores its status without the default, and the next one stores that.
test("objects that lack only a new default in their status disprove nothing", async () => {
  const { definition, stored } = await provenWithStatus();
  const { settlePoint } = await readRecord(definition);
  expect(await rewrite(definition, everyObject)).toMatchObject({ phase: "succeeded", counts: { rewritten: 0, rejected: 0 } });
  expect(await stored()).toContain("Pending");
  expect(await readRecord(definition)).toMatchObject({ settlePoint, doubt: null });
});

// Without withoutRead's throw (patch-object.ts) the patch goes out without that read, and the object disproves its own proof.
faultTest("nor do they where the read before a patch is refused for a moment", async (faulty) => {
  const { definition } = await provenWithStatus(faulty);
  const { settlePoint } = await readRecord(definition);
  const readOfFound: Match = ({ method, path }) => method === "GET" && path.startsWith(definition.path("v1", { name: FOUND }));
  const busy = faulty.proxy.inject(readOfFound, { kind: "answer", status: 429, headers: { "retry-after": "1" }, body: "busy" }, 1);
  expect(await faulty.rewrite(definition, everyObject)).toMatchObject({ phase: "succeeded", counts: { rewritten: 0, rejected: 0 } });
  expect(busy.hits()).toBe(1);
  expect(await readRecord(definition)).toMatchObject({ settlePoint, doubt: null });
});

test("nor does one that a finalizer holds, in a rewrite that leaves out the others", async () => {
  const { definition, put, atNew } = await provenWithStatus();
  await put(terminating(atNew));
  const { settlePoint } = await readRecord(definition);
  expect(await rewrite(definition, { acceptUnseen: true })).toMatchObject({ phase: "succeeded", counts: { rewritten: 0, rejected: 0 } });
  expect(await readRecord(definition)).toMatchObject({ settlePoint, doubt: null });
});

test("nor do they disprove somebody else's proof", async () => {
  const { definition } = await provenWithStatus();
  await expectPrunedByAnother(definition);
});

test.each([
  ["an object that is stored at the old version", {}, (text: string) => text],
  ["one that a finalizer holds", { verify: undefined }, terminating],
  ["one, too, that holds a value of the new field there", {}, (text: string) => text.replace('"status":{', '"status":{"phase":"Ready",')],
])("with a new default in the status, %s disproves it as before", async (_, options, change) => {
  const { definition, put, atOld } = await provenWithStatus();
  await put(change(atOld));
  const before = await readRecord(definition);
  expect(await rewrite(definition, { ...everyObject, ...options })).toMatchObject({ counts: { rewritten: 1 } });
  expect((await readRecord(definition)).settlePoint?.resourceVersion).not.toBe(before.settlePoint?.resourceVersion);
});
