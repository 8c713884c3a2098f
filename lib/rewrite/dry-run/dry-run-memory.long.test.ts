import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { objectName } from "#lib/local-cluster/sample-definition.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { findDryRun } from "./dry-runs.ts";
import { startDryRun } from "./start-dry-run.ts";

const bench = await openTestBench();

const OBJECTS = 10_000;
const LARGE_OBJECTS = 8;
const MIB = 1024 * 1024;

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/** MiB in use after garbage collection. The resident set says less, because V8 returns pages at its own pace. */
function inUse(): number {
  for (let round = 0; round < 3; round++) collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / MIB;
}

test("a dry run of 10,000 objects, each with a loss and a unique key, holds no more after 10,000 than after 2,000", {
  timeout: 400_000,
}, async () => {
  const definition = await bench.define([{ name: "v1" }, { name: "v1beta1", storage: true }]);
  // The lost values are long, and every object has a path that no other has.
  await definition.createObjects("v1beta1", OBJECTS, (index) => ({ size: index, [`key-${index}`]: 1, note: "x".repeat(2_000) }));
  await bench.flip(definition, [{ name: "v1", storage: true, properties: { size: { type: "integer" } } }, { name: "v1beta1" }]);

  const { id } = await startDryRun(bench.connection, definition.name, { sampleSize: OBJECTS, signal: soon() });
  const now = () => findDryRun(bench.connection.audience, definition.name, id).current;
  const tried = (objects: number) =>
    expect.poll(() => now().dryRun.checked, { timeout: 300_000, interval: 20 }).toBeGreaterThanOrEqual(objects);
  await tried(2_000);
  const early = inUse();
  await tried(9_500);
  const late = inUse();
  await expect.poll(() => now().phase, { timeout: 60_000 }).toBe("succeeded");

  expect(now().dryRun).toMatchObject({ total: OBJECTS, checked: OBJECTS, wouldPass: OBJECTS });
  expect(now().losses.find(({ path }) => path === "spec.note")).toMatchObject({ objects: OBJECTS, examples: { length: 5 } });
  expect(now().losses.length).toBeLessThanOrEqual(100);
  expect(now().losses.length + now().moreLosses).toBe(OBJECTS + 1);
  // 8,000 objects of 2 kB are 16 MB as text, and more as parsed values.
  expect(late - early).toBeLessThan(8);
});

// Where parsed objects are kept while others are asked for (shownAsText in compare-object.ts), 12 workers' copies of 10 MiB for each version
// exceed a pod's memory.
test("a dry run of large objects at several versions parses one at a time, and keeps none parsed", { timeout: 400_000 }, async () => {
  const list = { type: "array", items: { type: "integer" } };
  const versions = (storage: string) =>
    ["v1", "v1beta1", "v1beta2"].map((name) => ({
      ...{ name, storage: name === storage },
      properties: { numbers: list, [`only-${name}`]: { type: "string" } },
    }));
  const definition = await bench.define(versions("v1beta1"));
  // Almost as many values as crdshift reads.
  const numbers = Array.from({ length: 240_000 }, (_, index) => index % 1_000);
  // One at a time: the API server takes seconds for each, and answers several at once with a timeout.
  for (let index = 0; index < LARGE_OBJECTS; index += 1) {
    const [apiVersion, name] = [`${definition.group}/v1beta1`, objectName(index)];
    await bench.api.create(definition.path("v1beta1", { name: "" }), { apiVersion, kind: "Widget", metadata: { name }, spec: { numbers } });
  }
  await bench.flip(definition, versions("v1"));
  const before = inUse();
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, inUse() - before);
  }, 50);
  const { id } = await startDryRun(bench.connection, definition.name, { sampleSize: 100, signal: soon() });
  const now = () => findDryRun(bench.connection.audience, definition.name, id).current;
  await expect.poll(() => now().phase, { timeout: 300_000 }).toBe("succeeded");
  clearInterval(watch);
  expect(now().dryRun).toMatchObject({ total: LARGE_OBJECTS, checked: LARGE_OBJECTS, wouldPass: LARGE_OBJECTS });
  expect(most).toBeLessThan(150);
});
