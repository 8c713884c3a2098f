import { expect, test } from "vitest";
import { objectName } from "#lib/local-cluster/sample-definition.ts";
import { openTestBench } from "#lib/rewrite/testing/bench/open-test-bench.ts";

const { cluster, define, dryRun, flip, rewrite } = await openTestBench();
const text = { type: "string" };
const keeping = (properties: object) => ({
  list: { type: "array", "x-kubernetes-preserve-unknown-fields": true, items: { type: "object", properties } },
});

// With the items' own flag alone (contains-schema.ts), v1beta1 counts as contained in v1: nobody reads it, and `y` is gone untold.
test("a field that only a list that keeps unknown fields keeps is told, and holds the rewrite back", async () => {
  const [old, now] = [keeping({ a: text }), keeping({ a: text, b: { type: "object", properties: { x: text } } })];
  const definition = await define([
    { name: "v1beta1", storage: true, properties: old },
    { name: "v1", properties: now },
  ]);
  await definition.createObjects("v1beta1", 3, () => ({ list: [{ a: "1", b: { x: "2", y: "precious" } }] }));
  await flip(definition, [
    { name: "v1", storage: true, properties: now },
    { name: "v1beta1", properties: old },
  ]);
  expect(await dryRun(definition)).toMatchObject({ losses: [{ kind: "dropped", path: "spec.list[*].b.y", objects: 3 }] });
  await expect(rewrite(definition)).rejects.toMatchObject({ code: "precondition_failed" });
  expect((await definition.storedValues(cluster.etcd)).get(objectName(0))?.specText).toContain("precious");
});
