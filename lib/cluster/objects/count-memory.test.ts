import { expect, test } from "vitest";
import { connectionTo } from "#lib/cluster/testing/connection-to.ts";
import { sampleCrd } from "#lib/domain/testing/sample-crd.ts";
import { collectGarbage } from "#lib/process-wide/testing/collect-garbage.ts";
import { countManagedFields } from "./count-managed-fields.ts";
import { countObjects } from "./object-counts.ts";

const MB = 1_000_000;
const COUNTS = 4;

// Without takeEach (object-pages.ts), 6 MB each.
test.each([
  ["objects", countObjects],
  ["managedFields", countManagedFields],
] as const)("a count of %s that its reader leaves alone holds none of its page of 2 MB", async (_, countAll) => {
  const entry = { manager: "m", operation: "Update", apiVersion: "example.com/v1", fieldsType: "FieldsV1", fieldsV1: { "f:spec": {} } };
  const items = Array.from({ length: 50 }, (_, index) => ({
    metadata: { name: `object-${index}`, resourceVersion: "5", managedFields: Array(350).fill(entry) },
  }));
  const page = JSON.stringify({ metadata: { resourceVersion: "10", continue: "more", remainingItemCount: 1_000 }, items });
  const on = await connectionTo("large", (_, response) => void response.writeHead(200).end(page));
  const begin = async () => {
    const count = countAll(on, sampleCrd(), AbortSignal.timeout(60_000));
    expect((await count.next()).value).toMatchObject({ scanned: 50, complete: false });
    return count;
  };
  // What the first one keeps for the others doesn't count.
  await (await begin()).return(undefined);
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const counts = await Promise.all(Array.from({ length: COUNTS }, begin));
  collectGarbage();
  expect((process.memoryUsage().heapUsed - before) / COUNTS).toBeLessThan(2 * MB);
  for (const count of counts) await count.return(undefined);
});
