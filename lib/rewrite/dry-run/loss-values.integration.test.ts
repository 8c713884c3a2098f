import { describe, expect, test } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { readableRecord } from "#lib/domain/record/rewrite-record.ts";
import { objectName, type SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { breakableConversion } from "#lib/rewrite/testing/webhooks/breakable-conversion.ts";

const bench = await openTestBench();
const { cluster, connection, define, flip, dryRun, rewrite, start } = bench;

const string = { type: "string" };
const named = { type: "object", properties: { name: string, wait: string }, required: ["name"] };
const properties = {
  drain: string,
  release: string,
  tags: { type: "array", "x-kubernetes-list-type": "set", items: string },
  steps: { type: "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"], items: named },
  order: { type: "array", items: string },
};
const versions = (storage: string): SampleVersion[] => ["v1", "v1beta1"].map((name) => ({ name, storage: storage === name, properties }));
const spec = {
  ...{ drain: "90s", release: "1.10", tags: ["b", "a"], order: ["b", "a"] },
  steps: [
    { name: "b", wait: "1h" },
    { name: "a", wait: "60s" },
  ],
};
const respelled = {
  ...{ drain: "1m30s", tags: ["a", "b"] },
  steps: [
    { name: "a", wait: "1m0s" },
    { name: "b", wait: "1h0m0s" },
  ],
};

/** Objects at v1beta1, and a webhook that writes these fields of them otherwise, as one that goes through Go's types does. */
async function rewrittenOtherwise(changes: object) {
  const webhook = await breakableConversion();
  webhook.break({ kind: "changes", change: (object) => ({ ...object, spec: { ...spec, ...changes } }) });
  const definition = await define(versions("v1beta1"));
  await definition.createObjects("v1beta1", 6, () => spec);
  await flip(definition, versions("v1"), webhook.conversion);
  return definition;
}

const told = ({ losses }: Awaited<ReturnType<typeof dryRun>>) =>
  losses.map(({ kind, path, examples: [example] }) => [kind, path, example?.before, example?.after]);

describe("a webhook that writes the same values otherwise", () => {
  test("is told with both spellings, and holds nothing back", async () => {
    const definition = await rewrittenOtherwise(respelled);
    const found = await dryRun(definition);
    expect(found).toMatchObject({ phase: "succeeded", lossesKnown: true, dryRun: { wouldPass: 6 } });
    expect(told(found).sort()).toEqual([
      ["equivalent", "spec.drain", '"90s"', '"1m30s"'],
      ["equivalent", "spec.steps", expect.stringMatching(/^\[\{"name":"b"/), expect.stringMatching(/^\[\{"name":"a"/)],
      ["equivalent", "spec.steps[*].wait", '"1h"', '"1h0m0s"'],
      ["equivalent", "spec.tags", '["b","a"]', '["a","b"]'],
    ]);
    expect(await rewrite(definition)).toMatchObject({ phase: "succeeded", acceptedLosses: null, counts: { rewritten: 6, rejected: 0 } });
    const stored = (await definition.storedValues(cluster.etcd)).get(objectName(0));
    expect(JSON.parse(stored?.specText ?? "")).toMatchObject(respelled);
  });

  // Without the schema in compareByDryRun (compare-object.ts) every object is rejected for a change.
  test("passes the check of each object that a dry run of a sample leaves to the rewrite", async () => {
    const definition = await rewrittenOtherwise(respelled);
    expect(await dryRun(definition, { sampleSize: 1 })).toMatchObject({ dryRun: { checked: 1 } });
    expect(await rewrite(definition)).toMatchObject({ phase: "succeeded", acceptedLosses: null, counts: { rewritten: 6, rejected: 0 } });
  });

  test("hides no change beside it: another version, another order of an atomic list", async () => {
    const definition = await rewrittenOtherwise({ ...respelled, release: "1.1", order: ["a", "b"] });
    const found = await dryRun(definition);
    expect(
      told(found)
        .filter(([kind]) => kind !== "equivalent")
        .sort(),
    ).toEqual([
      ["changed", "spec.order[*]", '"b"', '"a"'],
      ["changed", "spec.release", '"1.10"', '"1.1"'],
    ]);
    const refused = await start(definition).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "precondition_failed" });
    const { losses } = (refused as { details: { losses: { path: string }[] } }).details;
    expect(losses.map(({ path }) => path).sort()).toEqual(["spec.order[*]", "spec.release"]);
  });

  // If compareInOrder (field-losses.ts) compared sets of items, only the added one would be told, and the rewrite would go on.
  test("hides no other order of an atomic list that it adds to", async () => {
    const definition = await rewrittenOtherwise({ order: ["a", "b", "c"] });
    expect(told(await dryRun(definition))).toEqual([["changed", "spec.order", '["b","a"]', '["a","b","c"]']]);
    await expect(start(definition)).rejects.toMatchObject({ code: "precondition_failed" });
  });
});

test("a dropped field has its value in the dry run, with the version that shows it, and none in the definition's annotation", async () => {
  const definition = await bench.stale(3, {
    spec: (index) => ({ size: index, token: { secret: "precious", n: [1.5] } }),
    versions: {
      before: [{ name: "v1" }, { name: "v1beta1", storage: true }],
      after: [{ name: "v1", storage: true, properties: { size: { type: "integer" } } }, { name: "v1beta1" }],
    },
  });
  const found = await dryRun(definition);
  expect(found.losses).toMatchObject([
    {
      kind: "dropped",
      path: "spec.token",
      objects: 3,
      examples: [{ version: "v1beta1", before: expect.any(String), after: null }, {}, {}],
    },
  ]);
  expect(JSON.parse(found.losses[0]?.examples[0]?.before ?? "")).toEqual({ secret: "precious", n: [1.5] });
  const { crd } = await readCrd(connection, definition.name, soon());
  const recorded = readableRecord(crd)?.dryRun;
  expect(recorded).toMatchObject({ resourceVersion: found.resourceVersion, losses: [{ path: "spec.token", objects: 3 }] });
  expect(found.resourceVersion).toMatch(/^[1-9]\d*$/);
  expect(JSON.stringify(await definition.read())).not.toContain("precious");
});
