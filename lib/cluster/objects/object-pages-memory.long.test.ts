import { expect, test } from "vitest";
import { forEachConcurrently } from "#lib/async/for-each-concurrently.ts";
import { objectName } from "#lib/local-cluster/sample-definition.ts";
import { collectGarbage } from "#lib/process-wide/testing/collect-garbage.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { objectPages } from "./object-pages.ts";

const { define, api, connection } = await openTestBench();

const OBJECTS = 600;
const MIB = 1024 * 1024;

const residentMib = () => process.memoryUsage().rss / MIB;

// With pages of 500 (object-pages.ts) it grows by about 350 MiB.
test("listing 600 objects with annotations of 200 KiB takes little memory", async () => {
  const definition = await define([{ name: "v1", storage: true }]);
  await definition.createObjects("v1", OBJECTS);
  const names = Array.from({ length: OBJECTS }, (_, index) => objectName(index));
  const annotations = { "example.com/notes": "x".repeat(200 * 1024) };
  await forEachConcurrently(names, { concurrency: 8, signal: AbortSignal.timeout(300_000) }, async (name) => {
    await api.mergePatch(definition.path("v1", { name }), { metadata: { annotations } });
  });

  collectGarbage();
  const before = residentMib();
  let most = before;
  const sampling = setInterval(() => {
    most = Math.max(most, residentMib());
  }, 5);
  const listed: string[] = [];
  for await (const { objects } of objectPages(connection, definition, { version: "v1", signal: soon() })) {
    listed.push(...objects.map(({ name }) => name));
    most = Math.max(most, residentMib());
  }
  clearInterval(sampling);

  expect(listed).toEqual(names);
  expect(most - before).toBeLessThan(180);
});
