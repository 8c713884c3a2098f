import { expect, test } from "vitest";
import type { SeenRequest } from "#lib/cluster/testing/fault-proxy.ts";
import { olderRelease } from "#lib/local-cluster/binaries/kubernetes-release.ts";
import { objectName, type SampleDefinition, type SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { type FaultBench, patchOf, underFaults } from "#lib/rewrite/testing/bench/fault-test.ts";
import { openTestBench } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { afterFlip, beforeFlip } from "#lib/rewrite/testing/bench/stale-definition.ts";
import { breakableConversion } from "#lib/rewrite/testing/webhooks/breakable-conversion.ts";

// The last release on which an API server empties managedFields if a webhook fails between two of its calls.
const { cluster, api } = await openTestBench(olderRelease);
const OBJECTS = 12;
const JSON_PATCH = "application/json-patch+json";

function faultTest(name: string, body: (bench: FaultBench) => Promise<void>): void {
  test(name, () => underFaults(cluster, body));
}

const managedFieldsOf = async (definition: SampleDefinition) =>
  new Map([...(await definition.storedValues(cluster.etcd))].map(([name, { metadata }]) => [name, metadata.managedFields ?? []]));

// Where empty managedFields of an object that has moved are taken for a person's reset (restoreOwnership) they stay lost.
faultTest("managedFields that a broken webhook emptied are put back, also if a controller wrote to the object meanwhile", async (bench) => {
  const { proxy, stale, start, run, endOf } = bench;
  const webhook = await breakableConversion();
  const definition = await stale(3, { conversion: webhook.conversion });
  const first = async () => (await managedFieldsOf(definition)).get(objectName(0));
  const before = await first();
  const held = proxy.hold(patchOf(definition, objectName(0)), "before");
  const { id } = await start(definition);
  await held.reached;
  webhook.break({ kind: "HTTP 500" });
  held.release();
  await expect.poll(first, { timeout: 30_000 }).toEqual([]);
  await expect.poll(async () => (await run(definition, id)).statusReason ?? "", { timeout: 30_000 }).toContain("conversion webhook for");
  // An ordinary write leaves empty managedFields empty.
  await api.mergePatch(definition.path("v1", { name: objectName(0) }), { metadata: { labels: { seen: "yes" } } });
  expect(await first()).toEqual([]);
  await webhook.heal();
  expect(await endOf(definition, id)).toMatchObject({ phase: "succeeded", ownership: { lost: 0 } });
  expect(await first()).toEqual(before);
});

// Without emptiedMeanwhile (keep-ownership.ts), or wereEmptied (patch-object.ts), the person is told that they can't be carried over, and the next run takes the object for done.
for (const [keepOwnership, isApplied] of [
  [true, false],
  [true, true],
  [false, true],
] as const)
  faultTest(
    `managedFields that were emptied by a write without an answer are put back, too (kept: ${keepOwnership}, applied since: ${isApplied})`,
    async (bench) => {
      const { proxy, apply, stale, start, run, endOf } = bench;
      const webhook = await breakableConversion();
      const definition = await stale(3, { conversion: webhook.conversion });
      const first = async () => (await managedFieldsOf(definition)).get(objectName(0));
      const before = await first();
      const held = proxy.hold(patchOf(definition, objectName(0)), "before");
      proxy.inject(patchOf(definition, objectName(0)), { kind: "reset", when: "after" }, 1);
      const { id } = await start(definition, keepOwnership ? { keepOwnership } : {});
      await held.reached;
      webhook.break({ kind: "HTTP 500" });
      held.release();
      await expect.poll(first, { timeout: 30_000 }).toEqual([]);
      await expect
        .poll(async () => (await run(definition, id)).statusReason ?? "", { timeout: 30_000 })
        .toContain("conversion webhook for");
      if (isApplied) await apply(definition, "v1", objectName(0), "another", { extra: 1 });
      await webhook.heal();
      expect(await endOf(definition, id)).toMatchObject({ phase: "succeeded", counts: { rejected: 0 }, ownership: { lost: 0 } });
      const after = (await first()) ?? [];
      expect(after.filter(({ manager }) => manager !== "another")).toEqual(before);
      expect(after.length).toBe((before?.length ?? 0) + (isApplied ? 1 : 0));
    },
  );

// Where any 422 counts as a rejection (restoreOwnership) the object is rejected, and stays without managedFields.
faultTest("managedFields are put back, also if a controller writes right before crdshift does", async (bench) => {
  const { proxy, stale, start, run, endOf } = bench;
  const webhook = await breakableConversion();
  const definition = await stale(3, { conversion: webhook.conversion });
  const patchesFirst = patchOf(definition, objectName(0));
  const first = async () => (await managedFieldsOf(definition)).get(objectName(0));
  const before = await first();
  const rewriting = proxy.hold(patchesFirst, "before");
  const { id } = await start(definition);
  await rewriting.reached;
  webhook.break({ kind: "HTTP 500" });
  rewriting.release();
  await expect.poll(async () => (await run(definition, id)).statusReason ?? "", { timeout: 30_000 }).toContain("conversion webhook for");
  expect(await first()).toEqual([]);
  const restoring = proxy.hold((request) => patchesFirst(request) && request.headers["content-type"] === JSON_PATCH, "before");
  await webhook.heal();
  await restoring.reached;
  await api.mergePatch(definition.path("v1", { name: objectName(0) }), { metadata: { labels: { seen: "yes" } } });
  restoring.release();
  expect(await endOf(definition, id)).toMatchObject({ phase: "succeeded", counts: { rejected: 0 }, ownership: { lost: 0 } });
  expect(await first()).toEqual(before);
  const refused = proxy.seen.filter((request) => patchesFirst(request) && request.status === 422);
  expect(refused).toHaveLength(1);
});

// With three attempts and no wait in between (restoreOwnership) the run fails, and objects are left without managedFields.
faultTest("a webhook that fails every other call does not cost managedFields", async (bench) => {
  const { proxy, stale, start, endOf } = bench;
  const webhook = await breakableConversion();
  const definition = await stale(OBJECTS, { conversion: webhook.conversion });
  const held = proxy.hold(patchOf(definition), "before");
  const { id } = await start(definition);
  await held.reached;
  const before = webhook.calls();
  webhook.break({ kind: "half down" });
  held.release();
  // No object is stored without a call.
  await expect.poll(webhook.calls, { interval: 10, timeout: 60_000 }).toBeGreaterThan(before + OBJECTS);
  await webhook.heal();
  expect(await endOf(definition, id)).toMatchObject({
    phase: "succeeded",
    counts: { total: OBJECTS, rejected: 0 },
    ownership: { lost: 0 },
  });
  for (const [name, managedFields] of await managedFieldsOf(definition)) expect(managedFields, name).not.toEqual([]);
});

// With any accepted loss for acceptsLostOwnership (accept-losses.ts) the objects of the outage have no managedFields afterwards.
faultTest("accepted losses do not cover an outage: managedFields that it empties are put back", async (bench) => {
  const { proxy, define, flip, dryRun, start, run, endOf } = bench;
  const webhook = await breakableConversion();
  const definition = await define(beforeFlip);
  await definition.createObjects("v1beta1", OBJECTS);
  const before = await managedFieldsOf(definition);
  await flip(definition, afterFlip, webhook.conversion);
  await dryRun(definition);
  const held = proxy.hold(patchOf(definition), "before");
  const { id } = await start(definition, { acceptLosses: true });
  await held.reached;
  webhook.break({ kind: "HTTP 500" });
  held.release();
  await expect.poll(async () => (await run(definition, id)).statusReason ?? "", { timeout: 30_000 }).toContain("conversion webhook for");
  await webhook.heal();
  expect(await endOf(definition, id)).toMatchObject({ phase: "succeeded", counts: { rewritten: OBJECTS }, ownership: { lost: 0 } });
  for (const [name, managedFields] of await managedFieldsOf(definition)) expect(managedFields, name).toEqual(before.get(name));
});

// Without what disown returns (keep-ownership.ts) all managedFields stay empty, and the run succeeds without telling.
for (const answer of ["answered", "lost"])
  faultTest(`managedFields that are emptied while crdshift's own entry is taken back are put back (${answer})`, async (bench) => {
    const { proxy, define, apply, flip, start, endOf } = bench;
    const webhook = await breakableConversion();
    const typed = (mode: object) => ({ size: { type: "integer" }, mode: { type: "string", ...mode } });
    // The default that a rewrite stores would be crdshift's own.
    const versions = (storage: string): SampleVersion[] => [
      { name: "v1", storage: storage === "v1", properties: typed({ default: "fast" }) },
      { name: "v1beta1", storage: storage === "v1beta1", properties: typed({}) },
    ];
    const definition = await define(versions("v1beta1"));
    for (const index of [0, 1, 2]) await apply(definition, "v1beta1", objectName(index), "owner", { size: index });
    const before = await managedFieldsOf(definition);
    await flip(definition, versions("v1"), webhook.conversion);
    const disowns = (request: SeenRequest) => patchOf(definition)(request) && request.body.includes("managedFields");
    const held = proxy.hold(disowns, "before", 3);
    if (answer === "lost") proxy.inject(disowns, { kind: "reset", when: "after" }, 3);
    const { id } = await start(definition);
    await expect.poll(() => proxy.seen.filter(disowns).length, { timeout: 30_000 }).toBe(3);
    webhook.break({ kind: "HTTP 500" });
    held.release();
    const counts = async () => [...(await managedFieldsOf(definition)).values()].map(({ length }) => length);
    await expect.poll(counts, { timeout: 30_000 }).toEqual([0, 0, 0]);
    await webhook.heal();
    expect(await endOf(definition, id)).toMatchObject({
      phase: "succeeded",
      counts: { rewritten: 3, rejected: 0 },
      ownership: { lost: 0 },
    });
    for (const [name, managedFields] of await managedFieldsOf(definition)) expect(managedFields, name).toEqual(before.get(name));
  });
