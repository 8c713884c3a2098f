import { describe, expect, test } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { objectName, type SampleDefinition, type SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { cleanManagedFields } from "#lib/rewrite/managed-fields/clean-managed-fields.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";

const bench = await openTestBench();
const { api, connection, define, flip, dryRun, rewrite, start } = bench;

const properties = { size: { type: "integer" } };
const note = { note: { type: "string" } };
const versions = (storage: string, v1beta1: Partial<SampleVersion> = {}): SampleVersion[] => [
  { name: "v1", storage: storage === "v1", properties },
  { name: "v1beta1", storage: storage === "v1beta1", properties: { ...properties, ...note }, ...v1beta1 },
];

/** Objects stored as v1beta1, with a note that v1 lacks; another engine took v1beta1 out of storedVersions. */
async function prunedByOthers(count = 6): Promise<SampleDefinition> {
  const definition = await define(versions("v1beta1"));
  await definition.createObjects("v1beta1", count, (index) => ({ size: index, note: "precious" }));
  await flip(definition, versions("v1"));
  await setStoredVersions(definition, ["v1"]);
  return definition;
}

async function setStoredVersions({ name }: SampleDefinition, storedVersions: string[]) {
  await api.mergePatch(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}/status`, { status: { storedVersions } });
}

const clean = async (definition: SampleDefinition) => {
  const { crd } = await readCrd(connection, definition.name, soon());
  for await (const { complete } of cleanManagedFields(connection, crd, { versions: ["v0"] }, soon())) if (complete) return "cleaned";
};

// Without otherServedVersions in versions-to-try.ts the dry run finds nothing, and the rewrite drops the notes.
test("a served version that storedVersions doesn't list is looked at too", async () => {
  const definition = await prunedByOthers();
  const found = await dryRun(definition);
  expect(found).toMatchObject({ lossesKnown: true, losses: [{ kind: "dropped", path: "spec.note", objects: 6 }] });
  await expect(start(definition)).rejects.toMatchObject({ code: "precondition_failed" });
});

describe("a version that isn't served and that storedVersions doesn't list", () => {
  test("leaves the losses unknown, and keeps managedFields from being cleaned, while objects may be stored in it", async () => {
    const definition = await prunedByOthers();
    await flip(definition, versions("v1", { served: false }));
    const found = await dryRun(definition);
    expect(found).toMatchObject({ phase: "succeeded", lossesKnown: false, dryRun: { wouldPass: 6 } });
    expect(found.lossesUnknownBecause).toMatch(/^v1beta1 is not served, .*storedVersions doesn't list v1beta1, but objects may still/);
    await expect(clean(definition)).rejects.toMatchObject({ code: "precondition_failed", message: expect.stringContaining("v1beta1") });
    await expect(start(definition)).rejects.toMatchObject({ code: "precondition_failed" });
  });

  test("leaves nothing unknown without objects", async () => {
    const definition = await prunedByOthers(0);
    await flip(definition, versions("v1", { served: false }));
    expect(await dryRun(definition)).toMatchObject({ lossesKnown: true, losses: [], dryRun: { total: 0 } });
  });

  // Without unlisted (unseenVersions in stored-versions.ts) a change of the spec, which voids the proof, leaves nothing unknown.
  test("leaves nothing unknown while a proof holds, but afterwards although crdshift pruned it", async () => {
    const definition = await define(versions("v1beta1"));
    await definition.createObjects("v1beta1", 6);
    await flip(definition, versions("v1", { served: false }));
    expect(await rewrite(definition, { acceptUnseen: true })).toMatchObject({ phase: "succeeded" });
    expect(await dryRun(definition)).toMatchObject({ lossesKnown: true });
    await pruneStoredVersions(connection, definition.name, definition.name, soon());
    expect(await dryRun(definition)).toMatchObject({ lossesKnown: true });
    expect(await clean(definition)).toBe("cleaned");
    await definition.setVersions(versions("v1", { served: false, deprecated: true }));
    expect(await dryRun(definition)).toMatchObject({ lossesKnown: false });
    await expect(clean(definition)).rejects.toMatchObject({ code: "precondition_failed", message: expect.stringContaining("v1beta1") });
  });

  // If unseenVersions (stored-versions.ts) trusted a prune of crdshift's own, the rewrite would drop the notes.
  test("holds a rewrite back after crdshift pruned it, if it was the storage version again since", async () => {
    const definition = await define(versions("v1beta1"));
    await definition.createObjects("v1beta1", 6);
    await flip(definition, versions("v1"));
    expect(await rewrite(definition)).toMatchObject({ phase: "succeeded" });
    await pruneStoredVersions(connection, definition.name, definition.name, soon());
    await flip(definition, versions("v1beta1"));
    for (let index = 0; index < 6; index += 1)
      await api.mergePatch(definition.path("v1beta1", { name: objectName(index) }), { spec: { note: "precious" } });
    await flip(definition, versions("v1", { served: false }));
    // Another engine prunes it, wrongly.
    await setStoredVersions(definition, ["v1"]);
    expect(await rewrite(definition)).toMatchObject({
      phase: "unproven",
      heldBackBecause: expect.stringContaining("crdshift can't see what objects stored as v1beta1 would lose"),
    });
    const values = [...(await definition.storedValues(bench.cluster.etcd)).values()];
    expect(values.filter(({ text }) => text.includes("precious"))).toHaveLength(6);
  });
});
