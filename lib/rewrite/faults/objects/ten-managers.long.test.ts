import { expect } from "vitest";
import { sleep } from "#lib/async/sleep.ts";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { objectName, type SampleDefinition, type SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { cleanManagedFields } from "#lib/rewrite/managed-fields/clean-managed-fields.ts";
import { type FaultBench, faultTest } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";

// The API server keeps ten managers that update. A write that stores a default adds an eleventh, crdshift, and so merges the two oldest.

const fields = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`f${index}`, { type: "string" }]));
const tier = (more: object = {}) => ({ tier: { type: "string", ...more } });
const widget = (storage: string, old: object): SampleVersion[] => [
  { name: "v1", storage: storage === "v1", properties: { ...fields, ...tier({ default: "gold" }) } },
  { name: "v1beta1", storage: storage === "v1beta1", properties: { ...fields, ...old } },
];

/** A definition with one object of ten managers; v1 has a default, and `old` is what v1beta1 has in its place. */
async function managed({ api, define, flip }: FaultBench, old: object): Promise<SampleDefinition> {
  const before = (storage: string) => widget(storage, old).map((version) => ({ ...version, properties: { ...fields, ...old } }));
  const definition = await define(before("v1beta1"));
  await definition.createObjects("v1beta1", 1, () => ({ f11: "x" }));
  const path = definition.path("v1beta1", { name: objectName(0) });
  for (let index = 0; index < 9; index += 1) {
    await api.mergePatch(`${path}?fieldManager=m${index}`, { spec: { [`f${index}`]: "x" } });
    // Their times, by which the oldest are told, are of whole seconds.
    await sleep(1_050, soon());
  }
  await flip(definition, widget("v1", old));
  return definition;
}

async function managers({ cluster }: FaultBench, definition: SampleDefinition): Promise<string[]> {
  const [stored] = (await definition.storedValues(cluster.etcd)).values();
  return stored?.metadata.managedFields?.map(({ manager }) => manager).sort() ?? [];
}

// Without hasMerged (end-of-write.ts) two of them are gone, and the run says that it kept all.
faultTest("a rewrite that keeps ownership puts the entries back that the API server merged", async (bench) => {
  const definition = await managed(bench, tier());
  const before = await managers(bench, definition);
  expect((await bench.dryRun(definition)).losses.map(({ kind }) => kind)).toContain("managed-fields");
  await expect(bench.start(definition)).rejects.toMatchObject({ code: "precondition_failed" });
  expect(await bench.rewrite(definition, { keepOwnership: true })).toMatchObject({ phase: "succeeded", ownership: { kept: 1, lost: 0 } });
  expect(await managers(bench, definition)).toEqual(before);
});

// Without hasMerged (clean-object.ts) two of them are gone, and the object counts as cleaned.
faultTest("cleaning leaves an object alone whose entries the API server would merge, until it is rewritten", async (bench) => {
  const definition = await managed(bench, {});
  const before = await managers(bench, definition);
  const clean = async () => {
    const { crd } = await readCrd(bench.connection, definition.name, soon());
    return (await Array.fromAsync(cleanManagedFields(bench.connection, crd, { versions: ["v1beta1"] }, soon()))).at(-1);
  };
  expect(await clean()).toMatchObject({ cleaned: 0, rejected: 1, rejections: [{ message: expect.stringContaining("Rewrite it first") }] });
  expect(await managers(bench, definition)).toEqual(before);
  expect(await bench.rewrite(definition, { keepOwnership: true })).toMatchObject({ phase: "succeeded" });
  expect(await clean()).toMatchObject({ cleaned: 1, rejected: 0 });
  expect(await managers(bench, definition)).toEqual(before);
});
