import { expect, test } from "vitest";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { type MixedReleases, mixedReleases } from "#lib/rewrite/testing/clusters/mixed-releases.ts";

// Kubernetes 1.37 leaves managedFields that name a version which is gone, and 1.36 empties them. During an upgrade, or once it is rolled
// back, one answers the dry run, and the other the write.

const OBJECTS = 24;

async function withGoneEntries({ bench, lead }: MixedReleases): Promise<SampleDefinition> {
  await lead("newer");
  const definition = await bench.define([{ name: "v1alpha1" }, { name: "v1beta1", storage: true }, { name: "v1" }]);
  for (let index = 0; index < OBJECTS; index += 1) await bench.apply(definition, "v1alpha1", objectName(index), "owner", { size: index });
  await bench.flip(definition, [{ name: "v1", storage: true }, { name: "v1beta1" }]);
  expect((await bench.dryRun(definition)).losses).toEqual([]);
  return definition;
}

async function ownersOf(definition: SampleDefinition, { cluster }: MixedReleases): Promise<string[]> {
  const stored = [...(await definition.storedValues(cluster.etcd)).values()];
  return stored.map(({ metadata }) =>
    (metadata.managedFields ?? []).map(({ manager, apiVersion }) => `${manager} ${apiVersion.split("/")[1]}`).join(),
  );
}

// Without the look at what a plain write left (carriedOver in rewrite-object.ts) some objects have no managedFields afterwards, and the run
// counts none as lost.
test("two API servers of different releases: a rewrite that keeps ownership loses none", async () => {
  const mixed = await mixedReleases();
  const definition = await withGoneEntries(mixed);
  await mixed.lead("both-in-turn");
  const run = await mixed.bench.rewrite(definition, { keepOwnership: true });
  expect(run).toMatchObject({ phase: "succeeded", counts: { rewritten: OBJECTS }, ownership: { kept: OBJECTS, lost: 0 } });
  expect(await ownersOf(definition, mixed)).toEqual(Array(OBJECTS).fill("owner v1"));
});

// Where restoreOwnership (restore-ownership.ts) puts the entries back as they were, the API server empties them again.
test("an API server that is rolled back after the dry run: entries that it empties are put back at the storage version", async () => {
  const mixed = await mixedReleases();
  const definition = await withGoneEntries(mixed);
  await mixed.lead("older");
  const run = await mixed.bench.rewrite(definition);
  expect(run.ownership.lost).toBe(0);
  const owners = await ownersOf(definition, mixed);
  expect(owners.filter((owner) => owner === "")).toEqual([]);
  expect(owners.filter((owner) => owner === "owner v1")).toHaveLength(run.ownership.kept);
});

// Without putBack (carriedOver in rewrite-object.ts) some objects have no managedFields afterwards, and none counts as lost.
test("nor does it lose any, or lose them silently, where losses are accepted", async () => {
  const mixed = await mixedReleases();
  const definition = await withGoneEntries(mixed);
  await mixed.lead("both-in-turn");
  const run = await mixed.bench.rewrite(definition, { keepOwnership: true, acceptUnseen: true });
  expect(run).toMatchObject({ phase: "succeeded", counts: { rewritten: OBJECTS }, ownership: { lost: 0 } });
  expect((await ownersOf(definition, mixed)).filter((owner) => owner === "")).toEqual([]);
});

// Where only entries of a gone version are put back at the storage version (restore-ownership.ts), the older release empties these again.
test.each([false, true])(
  "entries of a served version that the older release empties are put back, too (kept: %s)",
  async (keepOwnership) => {
    const mixed = await mixedReleases();
    const { bench, lead } = mixed;
    const port = { name: { type: "string" }, port: { type: "integer" } };
    const listOf = (properties: object) => ({ ports: { type: "array", items: { type: "object", properties } } });
    const v1beta1 = { name: "v1beta1", properties: listOf(port) };
    const v1 = { name: "v1", properties: listOf({ ...port, protocol: { type: "string", default: "TCP" } }) };
    await lead("newer");
    const definition = await bench.define([{ ...v1beta1, storage: true }, v1]);
    for (let index = 0; index < OBJECTS; index += 1) {
      await bench.apply(definition, "v1beta1", objectName(index), "owner", { ports: [{ name: "http", port: 80 }] });
    }
    await bench.flip(definition, [{ ...v1, storage: true }, v1beta1]);
    expect((await bench.dryRun(definition)).losses).toMatchObject([{ kind: "defaulted" }]);
    await lead(keepOwnership ? "both-in-turn" : "older");
    const run = await bench.rewrite(definition, { keepOwnership });
    expect(run.ownership.lost).toBe(0);
    expect((await ownersOf(definition, mixed)).filter((owner) => owner === "")).toEqual([]);
  },
);

// Without emptiedAgainstCheck (restoredUnlessAccepted in end-of-write.ts) the run goes on: each dry run that the newer one answers keeps them.
test("where values don't fit the schema, the first managedFields that can't be put back stop a rewrite that keeps ownership", async () => {
  const mixed = await mixedReleases();
  const { bench, lead } = mixed;
  const before = { name: "v1beta1", properties: { count: { type: "string" } } };
  const after = { name: "v1", properties: { count: { type: "integer" } } };
  await lead("newer");
  const definition = await bench.define([{ ...before, storage: true }, after]);
  const objects = 4 * OBJECTS;
  for (let index = 0; index < objects; index += 1) await bench.apply(definition, "v1beta1", objectName(index), "owner", { count: "many" });
  await bench.flip(definition, [{ ...after, storage: true }, before]);
  await lead("both-in-turn");
  const run = await bench.rewrite(definition, { keepOwnership: true });
  expect(run).toMatchObject({
    phase: "unproven",
    heldBackBecause: expect.stringContaining("although a dry run right before it kept them"),
  });
  const emptied = (await ownersOf(definition, mixed)).filter((owner) => owner === "").length;
  // Those that were under way (WORKERS in rewrite-objects.ts), of which some got no answer.
  expect(emptied).toBeLessThanOrEqual(24);
  expect(run.ownership.lost).toBeGreaterThan(0);
  expect(run.ownership.lost).toBeLessThanOrEqual(emptied);
});
