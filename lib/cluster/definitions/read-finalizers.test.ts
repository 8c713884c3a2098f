import { expect, test } from "vitest";
import { connectionTo } from "#lib/cluster/testing/connection-to.ts";
import { sampleCrd } from "#lib/domain/testing/sample-crd.ts";
import { LONGEST_TURN, whileWatched } from "#lib/process-wide/testing/longest-turn.ts";
import { readFinalizers } from "./read-finalizers.ts";

// Only the API server's limit on a request, about 3 MiB, bounds how many an object has.
test("of objects with 90,000 finalizers each, fifty are told, and that there are a thousand or more", async () => {
  const finalizers = (of: number) => Array.from({ length: 90_000 }, (_, index) => `a.b/${of}-${index}`);
  const items = [0, 1].map((of) => ({ metadata: { name: `tab-${of}`, resourceVersion: "1", finalizers: finalizers(of) } }));
  const list = JSON.stringify({ metadata: { resourceVersion: "1" }, items });
  const connection = await connectionTo("hostile finalizers", (_, response) => response.end(list));
  const { longest, result } = await whileWatched(() => readFinalizers(connection, sampleCrd(), AbortSignal.timeout(60_000)));
  expect(result).toMatchObject({ total: 2, read: 2, free: 0, moreFinalizers: 1_000 });
  expect(result.finalizers).toHaveLength(50);
  expect(longest).toBeLessThan(LONGEST_TURN);
});
