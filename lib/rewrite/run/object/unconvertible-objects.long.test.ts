import { describe, expect, test } from "vitest";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { openTestBench } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { unconvertibleObjects } from "#lib/rewrite/testing/webhooks/unconvertible-objects.ts";

const bench = await openTestBench();
const { cluster, rewrite, storedAs } = bench;

const namesOf = (indexes: number[]) => indexes.map((index) => ({ namespace: "default", name: objectName(index) }));

/** The names of the objects that are in etcd at a version. */
async function storedAt(definition: SampleDefinition, version: string): Promise<string[]> {
  const values = [...(await definition.storedValues(cluster.etcd)).values()];
  return values.filter(({ apiVersion }) => apiVersion.endsWith(`/${version}`)).map(({ metadata }) => metadata.name);
}

describe("an object that the conversion webhook can't convert", () => {
  test("is one of several neighbours: all are named, and a retry rewrites them once they convert", async () => {
    const { definition, failing } = await unconvertibleObjects(bench, 40, [7, 17, 18]);
    const run = await rewrite(definition);
    expect(run).toMatchObject({ phase: "unproven", counts: { rewritten: 37, rejected: 3 } });
    expect(run.rejections.flatMap(({ examples }) => examples.map(({ name }) => name)).sort()).toEqual([7, 17, 18].map(objectName));
    expect(await storedAs(definition)).toEqual({ v1beta1: 3, v1: 37 });
    failing.clear();
    expect(await rewrite(definition)).toMatchObject({ phase: "succeeded", counts: { total: 40, rewritten: 3, alreadyCurrent: 37 } });
    expect(await storedAs(definition)).toEqual({ v1: 40 });
  });

  test.each([
    ["first, where a list of one object meets it", 0],
    ["last, when all others are dealt with", 39],
  ])("is named although it comes %s", async (_, index) => {
    const { definition } = await unconvertibleObjects(bench, 40, [index]);
    expect(await rewrite(definition)).toMatchObject({
      ...{ phase: "unproven", counts: { rewritten: 39, rejected: 1 } },
      rejections: [expect.objectContaining({ examples: namesOf([index]) })],
    });
    expect(await storedAt(definition, "v1beta1")).toEqual([objectName(index)]);
  });

  test("is named again by a retry when it is the only one left", async () => {
    const { definition } = await unconvertibleObjects(bench, 40, [5]);
    expect(await rewrite(definition)).toMatchObject({ phase: "unproven", counts: { rewritten: 39, rejected: 1 } });
    expect(await rewrite(definition)).toMatchObject({
      ...{ phase: "unproven", counts: { total: 40, alreadyCurrent: 39, rejected: 1 } },
      rejections: [expect.objectContaining({ examples: namesOf([5]) })],
    });
  });
});
