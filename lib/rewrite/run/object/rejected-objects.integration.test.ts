import { describe, expect, test } from "vitest";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { objectName, type SampleDefinition, type SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { denyUpdatesOfFrozen } from "#lib/rewrite/testing/webhooks/deny-updates.ts";
import { unconvertibleObjects } from "#lib/rewrite/testing/webhooks/unconvertible-objects.ts";

const bench = await openTestBench();
const { cluster, api, connection, define, flip, dryRun: finishedDryRun, rewrite, storedAs } = bench;

const integer = { type: "integer" };
const string = { type: "string" };
const namesOf = (indexes: number[]) => indexes.map((index) => ({ namespace: "default", name: objectName(index) }));
const multiplesOf = (factor: number, count: number) =>
  Array.from({ length: count }, (_, index) => index).filter((index) => index % factor === 0);

/** The names of the objects that are in etcd at a version. */
async function storedAt(definition: SampleDefinition, version: string): Promise<string[]> {
  const values = [...(await definition.storedValues(cluster.etcd)).values()];
  return values.filter(({ apiVersion }) => apiVersion.endsWith(`/${version}`)).map(({ metadata }) => metadata.name);
}

describe("objects that the new schema's rules reject", () => {
  const region = {
    type: "string",
    "x-kubernetes-validations": [{ rule: "self != oldSelf || self != 'north'", message: "north is closed" }],
  };
  const v1: SampleVersion = {
    name: "v1",
    storage: true,
    properties: { size: integer, region },
    rules: [{ rule: "self.spec.size >= 2", message: "a widget has at least size 2" }],
    hasStatus: true,
  };

  /** Of 30 objects five are in the north, and another two are too small. */
  async function withRules(): Promise<SampleDefinition> {
    const old: SampleVersion = { name: "v1beta1", storage: true, properties: { size: integer, region: string } };
    const definition = await define([{ name: "v1", properties: { size: integer, region: string }, hasStatus: true }, old]);
    await definition.createObjects("v1beta1", 30, (index) => ({ size: index, region: index >= 10 && index < 15 ? "north" : "south" }));
    await flip(definition, [v1, { ...old, storage: false }]);
    return definition;
  }

  test("are reported by both the dry run and the run, by reason with the server's message, and all others are rewritten", async () => {
    const definition = await withRules();
    const dryRun = await finishedDryRun(definition);
    expect(dryRun.dryRun).toMatchObject({ checked: 30, wouldPass: 23, wouldBeRejected: 7, cannotDryRun: 0 });

    const run = await rewrite(definition);
    expect(run).toMatchObject({ phase: "unproven", counts: { total: 30, rewritten: 23, rejected: 7, remaining: 0 } });
    for (const groups of [dryRun.dryRun.rejections, run.rejections]) {
      expect(groups).toHaveLength(2);
      const [north, small] = [...groups].sort((one, other) => other.count - one.count);
      expect(north).toMatchObject({
        reason: "Invalid",
        count: 5,
        message: expect.stringMatching(/spec\.region: Invalid value: "(north|string)": north is closed/),
      });
      expect(north?.examples).toHaveLength(5);
      expect(north?.examples).toEqual(expect.arrayContaining(namesOf([10, 11, 12, 13, 14])));
      expect(small).toMatchObject({ reason: "Invalid", count: 2, message: expect.stringContaining("a widget has at least size 2") });
      expect(small?.examples).toEqual(expect.arrayContaining(namesOf([0, 1])));
    }
    expect((await storedAt(definition, "v1beta1")).sort()).toEqual([0, 1, 10, 11, 12, 13, 14].map(objectName));
    expect(await storedAs(definition)).toEqual({ v1beta1: 7, v1: 23 });
    expect((await readDetail(connection, definition.name, soon())).proof).toBeNull();
  });

  test("are rejected through /status too, and keep the main resource's message", async () => {
    const definition = await withRules();
    const run = await rewrite(definition, { throughStatus: true });
    expect(run).toMatchObject({ phase: "unproven", counts: { rewritten: 23, rejected: 7 }, throughStatus: { allowed: true, objects: 0 } });
    expect(run.rejections.reduce((sum, { count }) => sum + count, 0)).toBe(7);
    expect(await storedAs(definition)).toEqual({ v1beta1: 7, v1: 23 });
  });

  test("are rewritten by a retry once they are fixed, and only then is there a proof", async () => {
    const definition = await withRules();
    await rewrite(definition);
    for (const index of [10, 11, 12, 13, 14]) {
      await api.mergePatch(definition.path("v1", { name: objectName(index) }), { spec: { region: "south" } });
    }
    for (const index of [0, 1]) await api.mergePatch(definition.path("v1", { name: objectName(index) }), { spec: { size: 5 } });
    expect(await rewrite(definition)).toMatchObject({ phase: "succeeded", counts: { total: 30, rejected: 0 }, rejections: [] });
    expect(await storedAs(definition)).toEqual({ v1: 30 });
    expect((await readDetail(connection, definition.name, soon())).proof).toMatchObject({ objects: 30, invalidBecause: null });
  });
});

describe("objects that a policy on the main resource denies", () => {
  const DENIED = multiplesOf(6, 30);

  async function frozen(hasStatus: boolean): Promise<SampleDefinition> {
    const definition = await define([
      { name: "v1", hasStatus },
      { name: "v1beta1", storage: true, hasStatus },
    ]);
    await definition.createObjects("v1beta1", 30, (index) => ({ size: index, frozen: DENIED.includes(index) }));
    const statusOf = (index: number) => `${definition.path("v1beta1", { name: objectName(index) })}/status`;
    if (hasStatus) for (const index of DENIED) await api.mergePatch(statusOf(index), { status: { seen: index } });
    await flip(definition, [
      { name: "v1", storage: true, hasStatus },
      { name: "v1beta1", hasStatus },
    ]);
    await denyUpdatesOfFrozen(api, definition);
    return definition;
  }

  test("are rejected with the policy's message, and the dry run's checks name the policy", async () => {
    const definition = await frozen(true);
    const { dryRun: tried, checks } = await finishedDryRun(definition);
    expect(tried).toMatchObject({
      wouldPass: 25,
      wouldBeRejected: 5,
      rejections: [{ count: 5, message: expect.stringContaining("is frozen") }],
    });
    expect(checks.find(({ name }) => name === "policies")).toMatchObject({
      status: "warn",
      message: expect.stringContaining(`validating policy frozen-${definition.group} (failurePolicy Fail, Deny`),
    });
    const run = await rewrite(definition);
    expect(run).toMatchObject({ phase: "unproven", counts: { rewritten: 25, rejected: 5 }, throughStatus: { allowed: false, objects: 0 } });
    expect(run.rejections).toEqual([
      { reason: "Invalid", count: 5, message: expect.stringMatching(/denied request: widget-\d+ is frozen/), examples: expect.any(Array) },
    ]);
    expect(run.rejections[0]?.examples).toEqual(expect.arrayContaining(namesOf(DENIED)));
    expect((await storedAt(definition, "v1beta1")).sort()).toEqual(DENIED.map(objectName));
  });

  test("are rewritten through /status if allowed, and counted: etcd has them at the storage version, otherwise unchanged", async () => {
    const definition = await frozen(true);
    const before = await definition.storedValues(cluster.etcd);
    const run = await rewrite(definition, { throughStatus: true });
    expect(run).toMatchObject({
      ...{ phase: "succeeded", counts: { total: 30, rewritten: 30, rejected: 0, remaining: 0 }, rejections: [] },
      throughStatus: { allowed: true, objects: DENIED.length },
      // Its check already says that the main resource denies a write.
      sent: { rewrite: 30 - DENIED.length, status: DENIED.length, verify: 0, ownership: 0 },
    });
    expect(await storedAs(definition)).toEqual({ v1: 30 });
    for (const [name, { text }] of await definition.storedValues(cluster.etcd)) {
      const old = before.get(name)?.text ?? "";
      expect(text.replace(`${definition.group}/v1"`, `${definition.group}/v1beta1"`)).toBe(old);
    }
    expect((await readDetail(connection, definition.name, soon())).proof).toMatchObject({ objects: 30 });
  });

  test("can't be sent through a subresource that the storage version does not have", async () => {
    const definition = await frozen(false);
    await expect(bench.start(definition, { throughStatus: true })).rejects.toMatchObject({
      ...{ code: "precondition_failed", message: expect.stringContaining("/status"), nextStep: "Rewrite without /status." },
    });
    expect(await storedAs(definition)).toEqual({ v1beta1: 30 });
  });
});

describe("an object that the conversion webhook can't convert", () => {
  test("is named, and the 59 others of the page that it breaks are rewritten; nothing is proven", async () => {
    const { definition } = await unconvertibleObjects(bench, 60, [23]);
    await expect(api.list(`${definition.path("v1")}?limit=500`)).rejects.toThrow(/500 .*spec\.size is not a number/);
    const run = await rewrite(definition);
    expect(run.counts).toMatchObject({ rewritten: 59, rejected: 1 });
    expect(run.phase).toBe("unproven");
    expect(run.rejections).toEqual([
      expect.objectContaining({ count: 1, examples: namesOf([23]), message: expect.stringContaining("spec.size is not a number") }),
    ]);
    expect(await storedAt(definition, "v1beta1")).toEqual([objectName(23)]);
    expect(await storedAs(definition)).toEqual({ v1beta1: 1, v1: 59 });
    expect((await readDetail(connection, definition.name, soon())).proof).toBeNull();
  });

  test("is named by the dry run, whose conversion check fails with the webhook's message", async () => {
    const { definition } = await unconvertibleObjects(bench, 20, [0]);
    const dryRun = await finishedDryRun(definition);
    expect(dryRun).toMatchObject({ phase: "succeeded", dryRun: { checked: 20, wouldPass: 19, wouldBeRejected: 1 } });
    expect(dryRun.dryRun.rejections).toEqual([expect.objectContaining({ examples: namesOf([0]) })]);
    expect(dryRun.checks.find(({ name }) => name === "conversion")).toMatchObject({
      ...{ status: "fail", message: expect.stringContaining("spec.size is not a number") },
    });
    expect(await storedAs(definition)).toEqual({ v1beta1: 20 });
  });
});
