import { expect, test } from "vitest";
import { olderRelease } from "#lib/local-cluster/binaries/kubernetes-release.ts";
import { objectName, type SampleDefinition, type SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { openTestBench } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { conversionWebhook } from "#lib/rewrite/testing/webhooks/webhook-server.ts";

// The last release on which a write may cost ownership.
const { cluster, define, flip, apply, dryRun, rewrite } = await openTestBench(olderRelease);

const size = { type: "integer" };
const old: SampleVersion = { name: "v1beta1", properties: { size, target: { type: "string" } } };
const current: SampleVersion = { name: "v1", properties: { size, target: { type: "object", properties: { host: { type: "string" } } } } };

/** Objects of `manager(index)`; those with a target, which doesn't fit v1, would lose their managedFields. */
async function retyped(
  count: number,
  manager: (index: number) => string,
  hasTarget: (index: number) => boolean,
): Promise<SampleDefinition> {
  const definition = await define([current, { ...old, storage: true }]);
  for (let index = 0; index < count; index += 1)
    await apply(definition, "v1beta1", objectName(index), manager(index), { size: index, ...(hasTarget(index) && { target: "x" }) });
  await flip(definition, [{ ...current, storage: true }, old]);
  return definition;
}

const managersOf = async (definition: SampleDefinition, index: number) => {
  const { metadata } = (await definition.storedValues(cluster.etcd)).get(objectName(index)) ?? {};
  return (metadata?.managedFields ?? []).map(({ manager }) => manager);
};

// Without managedFieldsLosses in lossesAt (try-object.ts) they are emptied, and the whole run stops.
test("managedFields of an object outside the sample stay, and the others are rewritten", async () => {
  const definition = await retyped(
    12,
    () => "owner",
    (index) => index === 0,
  );
  let tried = await dryRun(definition, { sampleSize: 1 });
  for (let again = 0; tried.losses.length > 0 && again < 20; again += 1) tried = await dryRun(definition, { sampleSize: 1 });
  expect(tried.losses).toEqual([]);
  const run = await rewrite(definition);
  expect(run).toMatchObject({ phase: "unproven", counts: { rewritten: 11, rejected: 1 }, ownership: { lost: 0 } });
  expect(run.rejections[0]).toMatchObject({
    reason: "WouldLose",
    message: expect.stringContaining('metadata.managedFields[manager="owner"] would be lost'),
  });
  expect(await managersOf(definition, 0)).toEqual(["owner"]);
});

test("accepting that one manager loses ownership lets no other manager's go", async () => {
  const definition = await retyped(
    6,
    (index) => (index === 0 ? "bob" : "alice"),
    () => true,
  );
  const paths: string[] = [];
  for (let again = 0; !paths.join().includes("alice") && again < 20; again += 1) {
    const { losses } = await dryRun(definition, { sampleSize: 1 });
    paths.splice(0, paths.length, ...losses.filter(({ kind }) => kind === "managed-fields").map(({ path }) => path));
  }
  expect(paths).toEqual(['metadata.managedFields[manager="alice"]']);
  const run = await rewrite(definition, { acceptLosses: true });
  expect(run).toMatchObject({ phase: "unproven", counts: { rewritten: 5, rejected: 1 }, ownership: { lost: 5 } });
  expect([await managersOf(definition, 0), await managersOf(definition, 1)]).toEqual([["bob"], []]);
});

// Without ownership in Outcome (outcome.ts) the run says that none was lost; without pass.guard (end-of-write.ts) all lose theirs.
test("managedFields that can't be put back are counted as lost, and the objects that are left are checked first", {
  timeout: 90_000,
}, async () => {
  let isBroken = false;
  // What the webhook makes of an object at v1beta1 doesn't fit that version's schema: reads work, and managedFields are emptied.
  const conversion = await conversionWebhook((object, apiVersion) => ({
    ...object,
    apiVersion,
    spec: { ...object.spec, ...(isBroken && apiVersion.endsWith("/v1beta1") && { size: "large" }) },
  }));
  const versions = (storage: string) => ["v1", "v1beta1"].map((name) => ({ name, storage: name === storage, properties: { size } }));
  const definition = await define(versions("v1beta1"), conversion);
  for (let index = 0; index < 40; index += 1) await apply(definition, "v1beta1", objectName(index), "owner", { size: index });
  await flip(definition, versions("v1"), conversion);
  expect(await dryRun(definition)).toMatchObject({ losses: [], lossesKnown: true });
  isBroken = true;
  const run = await rewrite(definition);
  expect(run).toMatchObject({ phase: "unproven", counts: { rewritten: 0, rejected: 40 } });
  const emptied = [];
  for (let index = 0; index < 40; index += 1) if ((await managersOf(definition, index)).length === 0) emptied.push(index);
  expect(run.ownership.lost).toBe(emptied.length);
  expect(emptied.length).toBeGreaterThan(0);
  // Those that were under way when the first was emptied (WORKERS in rewrite-objects.ts).
  expect(emptied.length).toBeLessThanOrEqual(24);
  const counts = Object.fromEntries(run.rejections.map(({ reason, count }) => [reason, count]));
  expect(counts).toEqual({ OwnershipLost: emptied.length, WouldLose: 40 - emptied.length });
});
