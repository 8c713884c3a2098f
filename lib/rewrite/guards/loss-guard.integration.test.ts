import { describe, expect, test } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import type { Cleaning } from "#lib/contract/objects/managed-fields.ts";
import { putIntoEtcd } from "#lib/local-cluster/etcd.ts";
import { objectName, type SampleDefinition, type SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { changeRewrite } from "#lib/rewrite/commands/change-rewrite.ts";
import { resumeRewrite } from "#lib/rewrite/commands/resume-rewrite.ts";
import { cleanManagedFields } from "#lib/rewrite/managed-fields/clean-managed-fields.ts";
import { stopAllRuns } from "#lib/rewrite/run/running.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { denyUpdatesOfFrozen } from "#lib/rewrite/testing/webhooks/deny-updates.ts";

const bench = await openTestBench();
const { cluster, api, connection, define, flip, dryRun, start, rewrite, endOf } = bench;

const properties = { size: { type: "integer" }, frozen: { type: "boolean" } };
/** v1 lacks `note`, without conversion. */
const versions = (storage: "v1" | "v1beta1"): SampleVersion[] => [
  { name: "v1", storage: storage === "v1", properties, hasStatus: true },
  { name: "v1beta1", storage: storage === "v1beta1", properties: { ...properties, note: { type: "string" } } },
];

/** The first `noted` of 12 objects hold a note; those that hold one are frozen too if `frozen`. */
async function withNotes(noted: number, frozen = false): Promise<SampleDefinition> {
  const definition = await define(versions("v1beta1"));
  await definition.createObjects("v1beta1", 12, (index) => ({
    size: index,
    frozen: frozen && index < noted,
    ...(index < noted && { note: "precious" }),
  }));
  await flip(definition, versions("v1"));
  return definition;
}

/** How many values in etcd still hold a note. */
async function notes(definition: SampleDefinition): Promise<number> {
  return [...(await definition.storedValues(cluster.etcd)).values()].filter(({ text }) => text.includes("precious")).length;
}

describe("a field that no dry run has reported is not dropped", () => {
  test("if the dry run tried only one object, and not one that would lose it", async () => {
    const definition = await withNotes(4);
    let tried = await dryRun(definition, { sampleSize: 1 });
    for (let again = 0; tried.losses.length > 0 && again < 20; again += 1) tried = await dryRun(definition, { sampleSize: 1 });
    expect(tried).toMatchObject({ losses: [], dryRun: { checked: 1, total: 12 } });

    const run = await rewrite(definition);
    expect(run).toMatchObject({ phase: "unproven", counts: { rewritten: 8, rejected: 4 } });
    expect(run.rejections).toEqual([
      expect.objectContaining({ reason: "WouldLose", message: expect.stringContaining("spec.note"), count: 4 }),
    ]);
    expect(await notes(definition)).toBe(4);
    // Accepting what that dry run found, nothing, lets no note go.
    expect(await rewrite(definition, { acceptLosses: true })).toMatchObject({ phase: "unproven", counts: { rejected: 4 } });
    expect(await notes(definition)).toBe(4);
    await dryRun(definition);
    expect(await rewrite(definition, { acceptLosses: true })).toMatchObject({ phase: "succeeded", acceptedLosses: { unseen: false } });
    expect(await notes(definition)).toBe(0);
  });

  test("from objects that were rejected in the dry run, when the cause is fixed afterwards", async () => {
    const definition = await withNotes(4, true);
    const policy = await denyUpdatesOfFrozen(api, definition);
    expect(await dryRun(definition)).toMatchObject({ losses: [], dryRun: { wouldBeRejected: 4 } });
    await policy.lift();
    expect(await rewrite(definition)).toMatchObject({ phase: "unproven", counts: { rewritten: 8, rejected: 4 } });
    expect(await notes(definition)).toBe(4);
  });

  test("from objects that go through /status because the main resource rejects them", async () => {
    const definition = await withNotes(4, true);
    await denyUpdatesOfFrozen(api, definition);
    const run = await rewrite(definition, { throughStatus: true });
    expect(run).toMatchObject({ phase: "unproven", counts: { rewritten: 8, rejected: 4 }, throughStatus: { objects: 0 } });
    expect(await notes(definition)).toBe(4);
  });

  test("by cleaning managed fields, which stores whole objects too", async () => {
    const definition = await withNotes(4);
    const { crd } = await readCrd(connection, definition.name, soon());
    let cleaning: Cleaning | null = null;
    for await (const now of cleanManagedFields(connection, crd, { versions: ["v1beta1"] }, soon())) cleaning = now;
    expect(cleaning).toMatchObject({ complete: true, cleaned: 8, rejected: 4 });
    expect(cleaning?.rejections[0]).toMatchObject({ reason: "WouldLose", message: expect.stringContaining("spec.note") });
    expect(await notes(definition)).toBe(4);
  });

  // Without everyObject in check-losses.ts the proof, or the dry run that took what is above the settle point for current, is believed.
  for (const { known, how } of [
    { known: "a proof", how: "with a proof" },
    { known: "a dry run", how: "after a dry run that left out what is above the settle point" },
  ]) {
    test(`from a stale object that only verify: every-object meets, ${how}`, async () => {
      const definition = await withNotes(0);
      const old = (await definition.storedValues(cluster.etcd)).get(objectName(3))?.text ?? "";
      expect(await rewrite(definition)).toMatchObject({ phase: "succeeded" });
      const withNote = old.replace('"size":3', '"note":"precious","size":3');
      await putIntoEtcd(cluster.etcd, `/registry/${definition.group}/widgets/default/${objectName(3)}`, withNote);
      if (known === "a dry run") expect(await dryRun(definition)).toMatchObject({ losses: [] });
      const run = await rewrite(definition, { verify: "every-object" });
      expect(run).toMatchObject({ phase: "unproven", acceptedLosses: null });
      expect(await notes(definition)).toBe(1);
    });
  }

  // If the resourceVersion of such a dry run (dry-run-objects.ts) were its list's, the rewrite would drop it.
  test("from an object that a dry run took for current on a settle point that was disproved since", async () => {
    const definition = await withNotes(0);
    const old = (await definition.storedValues(cluster.etcd)).get(objectName(3))?.text ?? "";
    expect(await rewrite(definition)).toMatchObject({ phase: "succeeded" });
    const withNote = old.replace('"size":3', '"note":"precious","size":3');
    await putIntoEtcd(cluster.etcd, `/registry/${definition.group}/widgets/default/${objectName(3)}`, withNote);
    expect(await dryRun(definition)).toMatchObject({ losses: [], dryRun: { alreadyCurrent: 12, checked: 0 } });
    expect(await rewrite(definition, { verify: "every-object" })).toMatchObject({ phase: "unproven", counts: { rejected: 1 } });
    expect(await rewrite(definition)).toMatchObject({ phase: "unproven", counts: { rejected: 1 } });
    expect(await notes(definition)).toBe(1);
  });

  // Without the resourceVersion of the dry run's list (loss-guard.ts) it is dropped.
  test("from an object that was stored after the dry run's list", async () => {
    const definition = await withNotes(1);
    const old = (await definition.storedValues(cluster.etcd)).get(objectName(0))?.text ?? "";
    await api.delete(definition.path("v1beta1", { name: objectName(0) }));
    expect(await dryRun(definition)).toMatchObject({ losses: [], dryRun: { total: 11 } });
    await putIntoEtcd(cluster.etcd, `/registry/${definition.group}/widgets/default/${objectName(0)}`, old);
    const run = await rewrite(definition);
    expect(run).toMatchObject({ phase: "unproven", counts: { rewritten: 11, rejected: 1 } });
    expect(run.rejections).toEqual([
      expect.objectContaining({ reason: "WouldLose", examples: [expect.objectContaining({ name: objectName(0) })] }),
    ]);
    expect(await notes(definition)).toBe(1);
  });

  // Without accepts (loss-guard.ts) accepting one path lets every other one go, in the objects that no dry run tried.
  test("because another path of a sampled dry run was accepted", async () => {
    const both = { ...properties, note: { type: "string" }, memo: { type: "string" } };
    const given = (storage: "v1" | "v1beta1"): SampleVersion[] => [
      { name: "v1", storage: storage === "v1", properties },
      { name: "v1beta1", storage: storage === "v1beta1", properties: both },
    ];
    const definition = await define(given("v1beta1"));
    await definition.createObjects("v1beta1", 12, (index) => ({
      size: index,
      ...(index < 4 ? { note: "precious" } : { memo: "forgotten" }),
    }));
    await flip(definition, given("v1"));
    let tried = await dryRun(definition, { sampleSize: 1 });
    const isMemo = () => tried.losses.map(({ path }) => path).join() === "spec.memo";
    for (let again = 0; !isMemo() && again < 40; again += 1) tried = await dryRun(definition, { sampleSize: 1 });
    expect(isMemo()).toBe(true);
    const run = await rewrite(definition, { acceptLosses: true });
    expect(run).toMatchObject({ phase: "unproven", counts: { rewritten: 8, rejected: 4 } });
    expect(run.rejections[0]?.message).toContain("spec.note");
    expect(await notes(definition)).toBe(4);
  });

  // If acceptsLoss (accept-losses.ts) took `more` for every path, accepting what doesn't fit into the record would turn the guard off.
  test("because more paths were accepted than the record lists", async () => {
    const trivial = Array.from({ length: 60 }, (_, index) => `trivial${index}`);
    const given = (storage: "v1" | "v1beta1"): SampleVersion[] => [
      { name: "v1", storage: storage === "v1", properties: {} },
      {
        ...{ name: "v1beta1", storage: storage === "v1beta1" },
        properties: Object.fromEntries([...trivial, "note"].map((name) => [name, { type: "string" }])),
      },
    ];
    const definition = await define(given("v1beta1"));
    const spec = Object.fromEntries(trivial.map((name) => [name, "x"]));
    await definition.createObjects("v1beta1", 12, (index) => ({ ...spec, ...(index === 0 && { note: "precious" }) }));
    await flip(definition, given("v1"));
    let tried = await dryRun(definition, { sampleSize: 1 });
    const hasNote = () => tried.losses.some(({ path }) => path === "spec.note");
    for (let again = 0; hasNote() && again < 20; again += 1) tried = await dryRun(definition, { sampleSize: 1 });
    expect(hasNote()).toBe(false);
    const run = await rewrite(definition, { acceptLosses: true, dryRun: tried.id });
    expect(run).toMatchObject({ phase: "unproven", counts: { rewritten: 0, rejected: 12 } });
    expect(run.acceptedLosses?.more).toBeGreaterThan(0);
    expect(await notes(definition)).toBe(1);
  });

  // Without the guard in every pass (write-in-turn.ts) the verification drops it.
  test("from an object that turns stale after its check and that the verification finds", async () => {
    const definition = await withNotes(1);
    let tried = await dryRun(definition, { sampleSize: 1 });
    for (let again = 0; tried.losses.length > 0 && again < 20; again += 1) tried = await dryRun(definition, { sampleSize: 1 });
    const old = (await definition.storedValues(cluster.etcd)).get(objectName(0))?.text ?? "";
    await api.delete(definition.path("v1beta1", { name: objectName(0) }));
    const { id } = await start(definition, { verify: "every-object", maxPerSecond: 1 });
    await expect.poll(async () => (await bench.run(definition, id)).counts.rewritten, { timeout: 60_000 }).toBeGreaterThan(0);
    await putIntoEtcd(cluster.etcd, `/registry/${definition.group}/widgets/default/${objectName(0)}`, old);
    await changeRewrite(connection, definition.name, id, { maxPerSecond: null, signal: soon() });
    expect(await endOf(definition, id)).toMatchObject({ phase: "unproven" });
    expect(await notes(definition)).toBe(1);
  });

  // Without stillAccepted (resume-rewrite.ts) it is dropped by what was accepted for another schema.
  test("by a run that resumes on a different schema than its losses were accepted for", async () => {
    const definition = await bench.stale(12, { spec: (index) => ({ size: index, note: "precious" }) });
    expect(await dryRun(definition)).toMatchObject({ losses: [] });
    const { id } = await start(definition, { acceptLosses: true, maxPerSecond: 1 });
    await expect.poll(async () => (await bench.run(definition, id)).counts.rewritten, { timeout: 60_000 }).toBeGreaterThan(0);
    await stopAllRuns();
    await flip(definition, [{ name: "v1", storage: true, properties }, { name: "v1beta1" }]);
    const before = await notes(definition);
    await resumeRewrite(connection, definition.name, id, { settleSeconds: 0, signal: soon() });
    expect(await endOf(definition, id)).toMatchObject({
      ...{ phase: "unproven", acceptedLosses: null },
      heldBackBecause: expect.stringMatching(/^It rewrote nothing more since it was resumed: spec\.note would be dropped/),
    });
    expect(await notes(definition)).toBe(before);
  });

  test("if the old version is no longer served and losses are unknown, unless accepted unseen", async () => {
    const definition = await withNotes(4);
    await flip(
      definition,
      versions("v1").map((version) => (version.name === "v1beta1" ? { ...version, served: false } : version)),
    );
    expect(await rewrite(definition)).toMatchObject({ phase: "unproven", heldBackBecause: expect.stringContaining("not served") });
    expect(await notes(definition)).toBe(4);
    for (const options of [{}, { acceptLosses: true }]) {
      await expect(start(definition, options)).rejects.toMatchObject({ code: "precondition_failed" });
    }
    expect(await rewrite(definition, { acceptUnseen: true })).toMatchObject({ phase: "succeeded", acceptedLosses: { unseen: true } });
  });
});

test("objects that would lose nothing are rewritten through /status though the old version has no such subresource", async () => {
  const definition = await define(versions("v1beta1"));
  await definition.createObjects("v1beta1", 6, (index) => ({ size: index, frozen: index < 2 }));
  await flip(definition, versions("v1"));
  await denyUpdatesOfFrozen(api, definition);
  const run = await rewrite(definition, { throughStatus: true });
  expect(run).toMatchObject({ phase: "succeeded", counts: { rewritten: 6 }, throughStatus: { objects: 2 } });
  expect((await definition.storedValues(cluster.etcd)).get(objectName(0))?.apiVersion).toBe(`${definition.group}/v1`);
});
