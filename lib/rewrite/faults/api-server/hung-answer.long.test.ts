import { expect } from "vitest";
import { objectName } from "#lib/local-cluster/sample-definition.ts";
import { cancelRewrite } from "#lib/rewrite/commands/cancel-rewrite.ts";
import { faultTest, past, patchOf, sentForObjectsOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";

const SILENT_AFTER_MS = 1_000;
/** The end is written by several requests, to an API server that may be busy; an answer that never comes is given up after 30 s. */
const CANCELLED_WITHIN_MS = 10_000;

// Without the time-out (OF_ONE in object-patches.ts) it stays at one object left forever.
faultTest("a request without an answer times out, and the object is tried again", async (bench) => {
  const { stale, proxy, start, endOf, storedAs, run } = bench;
  const definition = await stale(40);
  const hung = proxy.inject(patchOf(definition, objectName(20)), { kind: "hang" }, 1);
  // The second try would soon take back what is shown.
  const again = proxy.hold(past(1, patchOf(definition, objectName(20))), "before");
  const { id } = await start(definition, { acceptUnseen: true });
  await again.reached;
  await expect.poll(async () => (await run(definition, id)).statusReason ?? "").toContain("didn't answer in time");
  again.release();
  expect(await endOf(definition, id)).toMatchObject({ phase: "succeeded", counts: { total: 40, rewritten: 40, remaining: 0 } });
  expect(hung.hits()).toBe(1);
  expect(await storedAs(definition)).toEqual({ v1: 40 });
});

// Without untilAborted (request.ts, through the signal of each request) the cancel waits for the answer.
faultTest("a cancel takes effect within a second, even if no request is ever answered", async ({ connection, stale, proxy, start }) => {
  const definition = await stale(40);
  const { reached } = proxy.hold(patchOf(definition), "before", Number.POSITIVE_INFINITY);
  const { id } = await start(definition, { acceptUnseen: true });
  await reached;
  const pressedAt = performance.now();
  const cancelled = await cancelRewrite(connection, definition.name, id, soon());
  expect(performance.now() - pressedAt).toBeLessThan(CANCELLED_WITHIN_MS);
  expect(cancelled.phase).toBe("cancelled");
  // Something may still come until then.
  await expect.poll(() => performance.now() - pressedAt).toBeGreaterThan(2 * SILENT_AFTER_MS);
  const last = proxy.seen.findLast(sentForObjectsOf(definition));
  expect(last?.at).toBeLessThan(pressedAt + SILENT_AFTER_MS);
});
