import { expect } from "vitest";
import { faultTest, recordOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";

/** The lease lasts 25 s, a renewal is tried every 3 s while it fails. */
const HELD_WITHIN_MS = 60_000;

// With gate.cause() in place of gate.outage() (run-rewrite.ts) the record tells of the hold, for good if that renewal is the last.
faultTest("a run shows that its record can't be renewed, and the renewal that succeeds does not record it", async (bench) => {
  const { stale, proxy, start, run } = bench;
  const definition = await stale(200);
  const { id } = await start(definition, { acceptUnseen: true, maxPerSecond: 2 });
  // What is written before the first object waits at the gate like any request, and says so.
  await expect.poll(async () => (await readRecord(definition)).runs[0]?.phase, { timeout: 30_000 }).toBe("rewriting");
  const refused = proxy.inject(recordOf(definition, '\\"phase\\":\\"rewriting\\"'), { kind: "answer", status: 503, body: "" });
  const because = async () => (await run(definition, id)).statusReason ?? "";
  await expect.poll(because, { timeout: HELD_WITHIN_MS }).toMatch(/^The rewrite's record can't be renewed: /);
  const before = (await readRecord(definition)).runs[0]?.renewedAt;
  refused.stop();
  const newest = async () => (await readRecord(definition)).runs[0];
  await expect.poll(async () => (await newest())?.renewedAt, { timeout: 30_000 }).not.toBe(before);
  expect(await newest()).toMatchObject({ id, phase: "rewriting", statusReason: null });
});
