import { expect, test } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { objectName } from "#lib/local-cluster/sample-definition.ts";
import { collectGarbage } from "#lib/process-wide/testing/collect-garbage.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { cleanManagedFields } from "./clean-managed-fields.ts";

const bench = await openTestBench();

const LARGE_OBJECTS = 8;
const KEYS = 55_000;
const MIB = 1024 * 1024;

function inUse(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / MIB;
}

/** How many objects would be cleaned. */
async function preview(name: string): Promise<number | undefined> {
  const { crd } = await readCrd(bench.connection, name, soon());
  let cleaned: number | undefined;
  for await (const now of cleanManagedFields(bench.connection, crd, { versions: ["v1beta1"], dryRun: true }, AbortSignal.timeout(300_000)))
    cleaned = now.cleaned;
  return cleaned;
}

// Without room (for-each-in-room.ts) each of each cleaning's twelve workers keeps its object several times, while it waits for its turn.
test("one person's cleanings of objects of a megabyte don't fill the memory, and are two at a time", { timeout: 400_000 }, async () => {
  const definition = await bench.define([{ name: "v1", storage: true }, { name: "v1beta1" }]);
  const spec = Object.fromEntries(Array.from({ length: KEYS }, (_, index) => [`k${index}`, 0]));
  for (let index = 0; index < LARGE_OBJECTS; index += 1) {
    const [apiVersion, name] = [`${definition.group}/v1beta1`, objectName(index)];
    await bench.api.create(definition.path("v1beta1", { name: "" }), { apiVersion, kind: "Widget", metadata: { name }, spec });
  }
  const before = inUse();
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, inUse() - before);
  }, 50);
  const previews = Array.from({ length: 3 }, () => preview(definition.name).catch((error: unknown) => error));
  const ended = await Promise.all(previews);
  clearInterval(watch);
  expect(ended.filter((one) => one === LARGE_OBJECTS)).toHaveLength(2);
  expect(ended.filter((one) => one !== LARGE_OBJECTS)).toEqual([expect.objectContaining({ code: "too_many_requests" })]);
  expect(most).toBeLessThan(130);
});
