import { expect, test } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import type { Cleaning } from "#lib/contract/objects/managed-fields.ts";
import { olderRelease } from "#lib/local-cluster/binaries/kubernetes-release.ts";
import { objectName, type SampleDefinition, type SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { cleanManagedFields } from "#lib/rewrite/managed-fields/clean-managed-fields.ts";
import { patchOf, underFaults } from "#lib/rewrite/testing/bench/fault-test.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import type { TestBench } from "#lib/rewrite/testing/bench/test-bench.ts";
import { breakableConversion } from "#lib/rewrite/testing/webhooks/breakable-conversion.ts";

// The last release on which an API server empties managedFields that it can't update.
const plain = await openTestBench(olderRelease);
const { cluster } = plain;
const OBJECTS = 3;
const size = { type: "integer" };

async function clean({ connection }: TestBench, definition: SampleDefinition, dryRun = false): Promise<Cleaning> {
  const { crd } = await readCrd(connection, definition.name, soon());
  let cleaning: Cleaning | undefined;
  for await (const now of cleanManagedFields(connection, crd, { versions: ["v1beta1"], dryRun }, soon())) cleaning = now;
  return cleaning ?? expect.fail("nothing was cleaned");
}

const managersOf = async (definition: SampleDefinition) =>
  [...(await definition.storedValues(cluster.etcd)).values()].map(({ metadata }) =>
    (metadata.managedFields ?? []).map(({ manager, apiVersion }) => `${manager} ${apiVersion.split("/")[1]}`).toSorted(),
  );

// Without the dry run in clean-object.ts all three have empty managedFields, and count as cleaned.
test("cleaning leaves objects as they are whose values don't fit the storage version's schema", async () => {
  const { define, flip, apply, storedAs } = plain;
  const old: SampleVersion = { name: "v1beta1", properties: { size, target: { type: "string" } } };
  const current: SampleVersion = { name: "v1", properties: { size, target: { type: "object", properties: { host: { type: "string" } } } } };
  const definition = await define([current, { ...old, storage: true }]);
  for (let index = 0; index < OBJECTS; index += 1) await apply(definition, "v1beta1", objectName(index), "owner", { size: 1, target: "x" });
  await flip(definition, [{ ...current, storage: true }, old]);
  for (const dryRun of [true, false]) {
    expect(await clean(plain, definition, dryRun)).toMatchObject({
      ...{ complete: true, cleaned: 0, rejected: OBJECTS },
      rejections: [{ reason: "OwnershipLost", message: expect.stringContaining("then clean again") }],
    });
  }
  expect(await managersOf(definition)).toEqual(Array(OBJECTS).fill(["owner v1beta1"]));
  expect(await storedAs(definition)).toEqual({ v1beta1: OBJECTS });
});

for (const { isLost, how } of [
  { isLost: false, how: "because the webhook breaks while they are cleaned" },
  { isLost: true, how: "in a write whose answer is lost" },
]) {
  // Without restoreOwnership, or without `moved` for a lost answer (clean-object.ts), managedFields stay empty without a word.
  test(`managedFields that the API server empties ${how} are put back`, async () => {
    await underFaults(cluster, async (bench) => {
      const { api, define, apply, flip, proxy, rewrite } = bench;
      const webhook = await breakableConversion();
      const versions: SampleVersion[] = ["v1", "v1beta1", "v1alpha1"].map((name) => ({
        ...{ name, storage: name === "v1", properties: { size } },
      }));
      const definition = await define(versions);
      for (let index = 0; index < OBJECTS; index += 1) {
        const name = objectName(index);
        await apply(definition, "v1beta1", name, "owner", { size: index });
        await api.mergePatch(`${definition.path("v1alpha1", { name })}?fieldManager=other`, { metadata: { labels: { a: "b" } } });
      }
      await flip(definition, versions, webhook.conversion);
      expect(await rewrite(definition)).toMatchObject({ phase: "succeeded" });
      const before = await managersOf(definition);
      const cleans = patchOf(definition);
      const sent = () => proxy.seen.filter(cleans).length;
      const already = sent();
      const held = proxy.hold(cleans, "before", OBJECTS);
      if (isLost) proxy.inject(cleans, { kind: "reset", when: "after" }, OBJECTS);
      const cleaning = clean(bench, definition);
      await expect.poll(sent, { timeout: 30_000 }).toBe(already + OBJECTS);
      webhook.break({ kind: "HTTP 500" });
      held.release();
      await expect.poll(() => managersOf(definition), { timeout: 30_000 }).toEqual(Array(OBJECTS).fill([]));
      await webhook.heal();
      expect(await cleaning).toMatchObject({
        ...{ complete: true, cleaned: 0, rejected: OBJECTS },
        rejections: [{ reason: "OwnershipLost", message: expect.stringContaining("crdshift put them back. Clean again.") }],
      });
      expect(await managersOf(definition)).toEqual(before);
      expect(await clean(bench, definition)).toMatchObject({ complete: true, cleaned: OBJECTS, rejected: 0 });
      expect(await managersOf(definition)).toEqual(Array(OBJECTS).fill(["other v1alpha1", "owner v1"]));
    });
  });
}
