import { describe, expect, test } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import type { Cleaning } from "#lib/contract/objects/managed-fields.ts";
import { emptiesManagedFields } from "#lib/local-cluster/binaries/kubernetes-release.ts";
import type { SampleDefinition, SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { cleanManagedFields } from "#lib/rewrite/managed-fields/clean-managed-fields.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";

const bench = await openTestBench();
const { cluster, connection, define, flip, apply, rewrite } = bench;

const string = { type: "string" };
const integer = { type: "integer" };
const list = {
  type: "array",
  items: { type: "object", required: ["name", "port"], properties: { name: string, port: integer, value: integer } },
};
const rules = (...keys: string[]) => ({ ...list, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys });
const quantity = { "x-kubernetes-int-or-string": true };
const pair = { type: "object", properties: { a: integer, b: integer } };

const versions = (storage: string, of: (name: string) => object): SampleVersion[] =>
  ["v1", "v1beta1"].map((name) => ({ name, storage: storage === name, properties: { size: integer, x: of(name) } }));

/** An object that `owner` applied at v1beta1, stored as v1 now. */
async function owned(of: (version: string) => object, x: unknown): Promise<SampleDefinition> {
  const definition = await define(versions("v1beta1", of));
  await apply(definition, "v1beta1", "one", "owner", { x });
  await apply(definition, "v1beta1", "one", "other", { size: 1 });
  await flip(definition, versions("v1", of));
  return definition;
}

async function clean(definition: SampleDefinition): Promise<Cleaning> {
  const { crd } = await readCrd(connection, definition.name, soon());
  let last: Cleaning | undefined;
  for await (const now of cleanManagedFields(connection, crd, { versions: ["v1beta1"] }, soon())) last = now;
  return last ?? expect.fail("nothing was cleaned");
}

async function managersOf(definition: SampleDefinition): Promise<string[]> {
  const stored = (await definition.storedValues(cluster.etcd)).get("one");
  return (stored?.metadata.managedFields ?? []).map(({ manager, apiVersion }) => `${manager} ${apiVersion.split("/")[1]}`).toSorted();
}

const byName = [{ name: "a", port: 1, value: 1 }];

describe("an entry that would own less at the storage version is left alone by cleaning", () => {
  // Without lostIfRelabeled (clean-object.ts) it is relabeled, counts as cleaned, and the other manager takes the field.
  test.each<[string, (version: string) => object, unknown, unknown]>([
    ["list items with other map keys", (name) => rules("name", ...(name === "v1" ? ["port"] : [])), byName, [{ ...byName[0], value: 2 }]],
    [
      "a map of quantities that becomes atomic",
      (name) => ({ type: "object", additionalProperties: quantity, ...(name === "v1" && { "x-kubernetes-map-type": "atomic" }) }),
      { a: 1 },
      { a: 2 },
    ],
    ["a map that was atomic", (name) => (name === "v1" ? pair : { ...pair, "x-kubernetes-map-type": "atomic" }), { a: 1, b: 1 }, { a: 2 }],
  ])("%s", async (_, of, mine, theirs) => {
    const definition = await owned(of, mine);
    expect(await rewrite(definition)).toMatchObject({ phase: "succeeded" });
    expect(await clean(definition)).toMatchObject({
      ...{ cleaned: 0, rejected: 1 },
      rejections: [
        { reason: "OtherFields", message: expect.stringMatching(/at fields that they own: spec\.x, .* Apply it at v1 as those/) },
      ],
    });
    expect(await managersOf(definition)).toEqual(["other v1beta1", "owner v1beta1"]);
    await expect(apply(definition, "v1", "one", "thief", { x: theirs })).rejects.toThrow(/409 .*"owner"/);

    await apply(definition, "v1", "one", "owner", { x: mine });
    expect(await clean(definition)).toMatchObject({ cleaned: 1, rejected: 0, warning: null });
    expect(await managersOf(definition)).toEqual(["other v1", "owner v1"]);
    await expect(apply(definition, "v1", "one", "thief", { x: theirs })).rejects.toThrow(/409 .*"owner"/);
  });
});

// Why no more than that is left alone: the API server translates such an entry.
test("an entry for parts of what the storage version takes as a whole is moved, and owns the whole", async () => {
  const definition = await owned((name) => (name === "v1" ? list : rules("name")), byName);
  expect(await rewrite(definition)).toMatchObject({ phase: "succeeded" });
  expect(await clean(definition)).toMatchObject({ cleaned: 1, rejected: 0, warning: null });
  await expect(apply(definition, "v1", "one", "thief", { x: [{ name: "b", port: 1 }] })).rejects.toThrow(/409 .*"owner"/);
});

describe("once the old version is gone", () => {
  const of = (name: string) => rules("name", ...(name === "v1" ? ["port"] : []));
  const gone = async () => {
    const definition = await owned(of, byName);
    expect(await rewrite(definition)).toMatchObject({ phase: "succeeded" });
    await bench.api.mergePatch(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.name}/status`, {
      status: { storedVersions: ["v1"] },
    });
    await flip(definition, versions("v1", of).slice(0, 1));
    await expect(apply(definition, "v1", "one", "third", {})).rejects.toThrow(/500 .*invalid group\/version/);
    return definition;
  };

  // Without disowned (clean-objects.ts) nobody is told.
  test("cleaning moves the entry, since no apply works before, and tells whose fields it no longer owns", async () => {
    const definition = await gone();
    expect(await clean(definition)).toMatchObject({
      cleaned: 1,
      rejected: 0,
      warning: expect.stringContaining("such as spec.x of default/one"),
    });
    await apply(definition, "v1", "one", "owner", { x: byName });
  });

  // Without lostIfRelabeled (keep-ownership.ts) the rewrite says that it kept the ownership.
  test("a rewrite that keeps ownership carries no such entry over, and counts none as kept", async () => {
    const definition = await gone();
    const run = await rewrite(definition, { keepOwnership: true, verify: "every-object" });
    expect(run.ownership).toMatchObject({ kept: 0, lost: 0 });
    expect(await managersOf(definition)).toEqual(["other v1beta1", "owner v1beta1"]);
    // A later release leaves such entries as they are, so a plain write loses nothing.
    if (!emptiesManagedFields(cluster.kubernetes)) return;
    expect(run).toMatchObject({
      phase: "unproven",
      rejections: [{ reason: "OwnershipLost", message: expect.stringContaining("map keys") }],
    });
  });
});
