import { describe, expect, test } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { readableRecord } from "#lib/domain/record/rewrite-record.ts";
import { olderRelease } from "#lib/local-cluster/binaries/kubernetes-release.ts";
import { objectName, type SampleConversion, type SampleDefinition, type SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { busyWriters } from "#lib/rewrite/testing/etcd/busy-writers.ts";
import { etcdDifferences } from "#lib/rewrite/testing/etcd/etcd-differences.ts";
import { conversionWebhook } from "#lib/rewrite/testing/webhooks/webhook-server.ts";

// The last release on which a write may cost ownership; left-ownership.integration.test.ts has what later ones do.
const bench = await openTestBench(olderRelease);
const { cluster, api, define, flip, apply, dryRun, rewrite } = bench;

const integer = { type: "integer" };
const string = { type: "string" };
const OBJECTS = 6;

// Sorted: the API server orders them by their times, which may fall into one second or into two.
const managersOf = async (definition: SampleDefinition, name: string) => {
  const stored = (await definition.storedValues(cluster.etcd)).get(name);
  const entries = stored?.metadata.managedFields ?? [];
  return entries.map(({ manager, operation, apiVersion }) => `${manager} ${operation} ${apiVersion.split("/")[1]}`).toSorted();
};

/** Objects stored as v1beta1 whose managedFields name v1alpha1, a version that is gone; v1 is the storage version now. */
async function ownedAtAVersionThatIsGone(v1: SampleVersion = { name: "v1" }): Promise<SampleDefinition> {
  const definition = await define([{ name: "v1alpha1" }, { name: "v1beta1", storage: true }, { name: "v1" }]);
  for (let index = 0; index < OBJECTS; index++) {
    await apply(definition, "v1alpha1", objectName(index), "owner", { size: index, note: "mine" });
    await apply(definition, "v1alpha1", objectName(index), "other", { colour: "red" });
  }
  await flip(definition, [{ ...v1, storage: true }, { name: "v1beta1" }]);
  return definition;
}

describe("managedFields that name a removed version", () => {
  test("would be emptied, as the dry run reports by manager", async () => {
    const definition = await ownedAtAVersionThatIsGone();
    const { losses } = await dryRun(definition);
    expect(losses.map(({ kind, path, objects }) => [kind, path, objects]).toSorted()).toEqual([
      ["managed-fields", 'metadata.managedFields[manager="other"]', OBJECTS],
      ["managed-fields", 'metadata.managedFields[manager="owner"]', OBJECTS],
    ]);
  });

  test("kept: the old owners' unforced server-side apply works afterwards, and nothing of crdshift is left", async () => {
    const definition = await ownedAtAVersionThatIsGone();
    // While they name it, no apply works at all.
    await expect(apply(definition, "v1", objectName(0), "owner", { size: 100, note: "mine" })).rejects.toThrow(
      /500 .*invalid group\/version/,
    );
    const before = await definition.storedValues(cluster.etcd);
    const patches = await bench.patchesOf(definition);
    const run = await rewrite(definition, { keepOwnership: true });
    expect(run).toMatchObject({
      ...{ phase: "succeeded", counts: { rewritten: OBJECTS, rejected: 0 }, acceptedLosses: null },
      ownership: { keep: true, kept: OBJECTS, lost: 0 },
    });
    expect(run.sent).toMatchObject({ rewrite: 0, verify: 0, atLeast: false, tested: false });
    // The API server counts a request after its answer.
    await expect.poll(async () => (await bench.patchesOf(definition)) - patches).toBe(run.sent?.ownership);
    expect(await bench.storedAs(definition)).toEqual({ v1: OBJECTS });
    const after = await definition.storedValues(cluster.etcd);
    for (let index = 0; index < OBJECTS; index++) {
      const name = objectName(index);
      expect(await managersOf(definition, name)).toEqual(["other Apply v1", "owner Apply v1"]);
      const fieldsOf = (values: typeof before) =>
        values.get(name)?.metadata.managedFields?.map(({ manager, fieldsV1 }) => ({ manager, fieldsV1 }));
      expect(fieldsOf(after)).toEqual(expect.arrayContaining(fieldsOf(before) ?? expect.fail("it had none")));
      expect(after.get(name)?.specText).toBe(before.get(name)?.specText);
      expect(after.get(name)?.metadata.generation).toBe(before.get(name)?.metadata.generation);
    }

    await apply(definition, "v1", objectName(0), "owner", { size: 100, note: "mine" });
    await expect(apply(definition, "v1", objectName(1), "owner", { size: 1, note: "mine", colour: "blue" })).rejects.toThrow(
      /409 .*"other"/,
    );
    // What an owner leaves out of its next apply is gone: it still owned it.
    await apply(definition, "v1", objectName(2), "owner", { size: 2 });
    expect((await api.get(definition.path("v1", { name: objectName(2) }))).spec).toEqual({ size: 2, colour: "red" });
    expect((await api.get(definition.path("v1", { name: objectName(0) }))).spec).toEqual({ size: 100, note: "mine", colour: "red" });
  });

  test("lost after acceptance: the same apply conflicts with before-first-apply", async () => {
    const definition = await ownedAtAVersionThatIsGone();
    expect(await rewrite(definition, { acceptUnseen: true })).toMatchObject({
      ...{ phase: "succeeded", counts: { rewritten: OBJECTS } },
      ownership: { keep: false, kept: 0, lost: OBJECTS },
    });
    expect(await managersOf(definition, objectName(0))).toEqual([]);
    await expect(apply(definition, "v1", objectName(0), "owner", { size: 100, note: "mine" })).rejects.toThrow(/409 .*before-first-apply/);
  });

  test("neither kept nor accepted: the run stores nothing", async () => {
    const definition = await ownedAtAVersionThatIsGone();
    const before = await definition.storedValues(cluster.etcd);
    expect(await rewrite(definition)).toMatchObject({ phase: "unproven", heldBackBecause: expect.stringContaining("Keep ownership") });
    expect(await definition.storedValues(cluster.etcd)).toEqual(before);
  });

  test("kept while a field is dropped: only the drop needs acceptance, and the proof says so", async () => {
    const definition = await ownedAtAVersionThatIsGone({ name: "v1", properties: { size: integer, colour: string } });
    await dryRun(definition);
    await expect(bench.start(definition, { keepOwnership: true })).rejects.toMatchObject({
      details: { losses: [expect.objectContaining({ kind: "dropped", path: "spec.note", objects: OBJECTS })] },
    });
    const run = await rewrite(definition, { keepOwnership: true, acceptLosses: true });
    expect(run).toMatchObject({ phase: "succeeded", ownership: { kept: OBJECTS, lost: 0 } });
    const { crd } = await readCrd(bench.connection, definition.name, soon());
    expect(readableRecord(crd)?.proof?.acceptedLosses?.losses).toEqual([{ kind: "dropped", path: "spec.note", objects: OBJECTS }]);
    await apply(definition, "v1", objectName(0), "owner", { size: 100 });
    expect((await api.get(definition.path("v1", { name: objectName(0) }))).spec).toEqual({ size: 100, colour: "red" });
  });
});

describe("managedFields that no longer fit the schema", () => {
  test("of a new default on a field that the old version lacks would be emptied, which holds the rewrite back until it keeps ownership", async () => {
    const definition = await define([
      { name: "v1", properties: { size: integer } },
      { name: "v1beta1", storage: true, properties: { size: integer } },
    ]);
    await definition.createObjects("v1beta1", 9);
    await flip(definition, [
      { name: "v1", storage: true, properties: { size: integer, mode: { type: "string", default: "fast" } } },
      { name: "v1beta1", properties: { size: integer } },
    ]);
    const tried = await dryRun(definition);
    expect(Object.fromEntries(tried.losses.filter(({ kind }) => kind === "defaulted").map(({ path, objects }) => [path, objects]))).toEqual(
      { "spec.mode": 9 },
    );
    expect(tried.dryRun.generationRises).toBe(9);
    const lost = tried.losses.filter(({ kind }) => kind === "managed-fields");
    expect(lost).toEqual([
      expect.objectContaining({ objects: 9, path: expect.stringMatching(/^metadata\.managedFields\[manager=".+"\]$/) }),
    ]);

    await expect(bench.start(definition)).rejects.toMatchObject({
      ...{ code: "precondition_failed", nextStep: expect.stringContaining("Keep ownership") },
      details: { losses: [expect.objectContaining({ kind: "managed-fields", objects: 9 })] },
    });
    const before = await definition.storedValues(cluster.etcd);
    expect(await rewrite(definition, { acceptLosses: true })).toMatchObject({ phase: "succeeded", ownership: { lost: 9, kept: 0 } });
    const { added, unowned } = etcdDifferences(before, await definition.storedValues(cluster.etcd));
    expect(added).toEqual({ "spec.mode": 9 });
    expect(Object.values(unowned)).toEqual([9]);
    expect(lost[0]?.path).toContain(JSON.stringify(Object.keys(unowned)[0]));
  });

  test("of a new default on a field that the old version lacks are kept, and the default is stored", async () => {
    const old: SampleVersion = { name: "v1beta1", storage: true, properties: { size: integer } };
    const definition = await define([{ name: "v1", properties: { size: integer } }, old]);
    for (let index = 0; index < OBJECTS; index++) await apply(definition, "v1beta1", objectName(index), "owner", { size: index });
    await flip(definition, [
      { name: "v1", storage: true, properties: { size: integer, mode: { type: "string", default: "fast" } } },
      { ...old, storage: false },
    ]);
    expect(await rewrite(definition, { keepOwnership: true })).toMatchObject({
      ...{ phase: "succeeded", counts: { rewritten: OBJECTS } },
      ownership: { kept: OBJECTS, lost: 0 },
    });
    for (const [name, { specText }] of await definition.storedValues(cluster.etcd)) {
      expect(JSON.parse(specText)).toMatchObject({ mode: "fast" });
      expect(await managersOf(definition, name)).toEqual(["owner Apply v1"]);
    }
    await apply(definition, "v1", objectName(3), "owner", { size: 300, mode: "slow" });
  });

  const before: SampleVersion = { name: "v1beta1", storage: true, properties: { size: integer, target: string } };
  const after: SampleVersion[] = [
    { name: "v1", storage: true, properties: { size: integer, target: { type: "object", properties: { host: string } } } },
    { ...before, storage: false },
  ];

  /** v1beta1 has target as a string, v1 as an object. */
  async function retyped(conversion?: SampleConversion): Promise<SampleDefinition> {
    const definition = await define([{ ...(after[0] as SampleVersion), storage: false }, before], conversion);
    for (let index = 0; index < OBJECTS; index++)
      await apply(definition, "v1beta1", objectName(index), "owner", { size: index, target: "x" });
    await flip(definition, after);
    return definition;
  }

  test("of a field whose type changed, which a webhook converts, stay the owner's", async () => {
    const conversion = await conversionWebhook(({ spec: { target, ...spec } = {}, ...object }, apiVersion) => {
      const host = typeof target === "string" ? target : (target as { host?: string } | undefined)?.host;
      return { ...object, apiVersion, spec: { ...spec, target: apiVersion.endsWith("/v1") ? { host } : host } };
    });
    const definition = await retyped(conversion);
    const { losses } = await dryRun(definition);
    expect(await rewrite(definition, { keepOwnership: true })).toMatchObject({ phase: "succeeded", ownership: { lost: 0 } });
    expect(JSON.parse((await definition.storedValues(cluster.etcd)).get(objectName(3))?.specText ?? "")).toEqual({
      size: 3,
      target: { host: "x" },
    });
    expect(losses.filter(({ kind }) => kind !== "managed-fields")).toEqual([]);
    await apply(definition, "v1", objectName(3), "owner", { size: 300, target: { host: "y" } });
  });

  test("of a field whose value does not fit its new type can't be kept: then nothing is rewritten", async () => {
    const definition = await retyped();
    const { losses } = await dryRun(definition);
    expect(losses.filter(({ kind }) => kind === "managed-fields")).toEqual([
      expect.objectContaining({ objects: OBJECTS, path: 'metadata.managedFields[manager="owner"]' }),
    ]);
    const run = await rewrite(definition, { keepOwnership: true });
    expect(run).toMatchObject({ phase: "unproven", counts: { rewritten: 0, rejected: OBJECTS }, ownership: { kept: 0, lost: 0 } });
    expect(run.rejections).toEqual([expect.objectContaining({ reason: "OwnershipLost", count: OBJECTS })]);
    for (let index = 0; index < OBJECTS; index++) expect(await managersOf(definition, objectName(index))).toEqual(["owner Apply v1beta1"]);
  });
});

describe("keeping ownership", () => {
  test("uses the plain patch if nothing would be lost", async () => {
    const definition = await define([{ name: "v1" }, { name: "v1beta1", storage: true }]);
    for (let index = 0; index < OBJECTS; index++) await apply(definition, "v1beta1", objectName(index), "owner", { size: index });
    await flip(definition, [{ name: "v1", storage: true }, { name: "v1beta1" }]);
    expect(await rewrite(definition, { keepOwnership: true })).toMatchObject({
      ...{ phase: "succeeded", counts: { rewritten: OBJECTS } },
      ownership: { kept: 0, lost: 0 },
    });
    expect(await managersOf(definition, objectName(0))).toEqual(["owner Apply v1beta1"]);
    await apply(definition, "v1beta1", objectName(0), "owner", { size: 100 });
  });

  test("loses no writes that come between its read and its write", async () => {
    const definition = await ownedAtAVersionThatIsGone();
    const writers = busyWriters(bench, definition, OBJECTS);
    expect(await rewrite(definition, { keepOwnership: true })).toMatchObject({ phase: "succeeded", ownership: { lost: 0 } });
    await writers.expectNothingLost();
  });
});

describe("a field that the storage version's schema defaults", () => {
  const typed = (mode: object) => ({ size: integer, mode });
  const versions = (storage: string): SampleVersion[] => [
    { name: "v1", storage: storage === "v1", properties: typed({ ...string, default: "fast" }) },
    { name: "v1beta1", storage: storage === "v1beta1", properties: typed(string) },
  ];

  // Without disown (keep-ownership.ts) the apply answers 409, with conflicts with "crdshift".
  test("is not crdshift's once a rewrite has stored it: its owner's next unforced apply works", async () => {
    const definition = await define(versions("v1beta1"));
    for (let index = 0; index < OBJECTS; index++) await apply(definition, "v1beta1", objectName(index), "owner", { size: index });
    await flip(definition, versions("v1"));
    expect(await rewrite(definition)).toMatchObject({ phase: "succeeded", counts: { rewritten: OBJECTS } });
    const { text } = (await definition.storedValues(cluster.etcd)).get(objectName(0)) ?? { text: "" };
    expect(text).toContain('"mode":"fast"');
    expect(await managersOf(definition, objectName(0))).toEqual(["owner Apply v1beta1"]);
    await apply(definition, "v1", objectName(0), "owner", { size: 1, mode: "slow" });
  });
});
