import { setTimeout } from "node:timers/promises";
import { expect } from "vitest";
import type { FaultProxy, SeenRequest } from "#lib/cluster/testing/fault-proxy.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { faultTest, past, patchOf, recordOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { type CrdshiftProcess, SOON, startCrdshift } from "#lib/rewrite/testing/clusters/crdshift-process.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";
import { askDashboard } from "#lib/server/testing/ask-dashboard.ts";

const OBJECTS = 60;
/** Objects that are done when the patches of the others begin to be held. */
const DONE = 20;
const FOREVER = Number.POSITIVE_INFINITY;
const OUT_WITHIN_MS = 15_000;
const SILENT_AFTER_MS = 1_000;

// Without the abort of what is under way (stopRunning in running.ts) it is still there after 15 s, waiting for the held patches.
faultTest("SIGTERM during a run: it is silent after a second, and another crdshift can resume at once", async (bench) => {
  const { cluster, proxy, stale, storedAs } = bench;
  const first = await startCrdshift(cluster, proxy);
  const definition = await stale(OBJECTS);
  const patches = proxy.hold(past(DONE, patchOf(definition)), "before", FOREVER);
  const id = await first.start(definition, { acceptUnseen: true });
  await patches.reached;
  await expect.poll(async () => (await first.run(definition, id)).counts.rewritten, SOON).toBe(DONE);

  await expectOut(first, proxy, definition);
  const record = await readRecord(definition);
  expect(record).toMatchObject({ holder: null, proof: null, runs: [{ id, phase: "interrupted", counts: { rewritten: DONE } }] });
  expect(await storedAs(definition)).toEqual({ v1: DONE, v1beta1: OBJECTS - DONE });
  expect(first.output()).toContain('"action":"interrupted"');

  const second = await startCrdshift(cluster, proxy);
  patches.release();
  await second.resume(definition, id);
  await expect.poll(async () => (await second.run(definition, id)).phase, SOON).toBe("succeeded");
  expect(await second.run(definition, id)).toMatchObject({
    counts: { total: OBJECTS, rewritten: OBJECTS, alreadyCurrent: 0, remaining: 0 },
    takenOverAt: null,
    delegation: null,
  });
  expect((await readRecord(definition)).settlePoint).toEqual(record.settlePoint);
  expect(await storedAs(definition)).toEqual({ v1: OBJECTS });
});

// Without whileBeginning (running.ts) the run begins after the others were stopped, and its record stays that of a run at work.
faultTest("SIGTERM while a run is starting: it ends before it sends anything", async ({ cluster, proxy, stale, storedAs }) => {
  const crdshift = await startCrdshift(cluster, proxy);
  const definition = await stale(OBJECTS);
  const begin = proxy.hold(recordOf(definition, '\\"phase\\":\\"settling\\"'), "after");
  const starting = crdshift.start(definition, { acceptUnseen: true }).catch(String);
  await begin.reached;
  crdshift.signal("SIGTERM");
  const sent = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
  const change = async () => (await askDashboard(`${crdshift.url}/api/sign-out`, sent)).status;
  await expect.poll(change, SOON).toBe(409);
  begin.release();
  expect(await crdshift.exited).toBe(0);
  await starting;
  expect(await readRecord(definition)).toMatchObject({ holder: null, runs: [{ phase: "interrupted" }] });
  expect(proxy.seen.filter(patchOf(definition))).toEqual([]);
  expect(await storedAs(definition)).toEqual({ v1beta1: OBJECTS });
});

// Without the farewell's own time-out (FAREWELL_MS in finish-run.ts) it goes on until the request's time is over, after 30 s.
faultTest("SIGTERM while the API server answers nothing at all", async ({ cluster, proxy, stale }) => {
  const crdshift = await startCrdshift(cluster, proxy);
  const definition = await stale(OBJECTS);
  const patches = proxy.hold(past(DONE, patchOf(definition)), "before", FOREVER);
  await crdshift.start(definition, { acceptUnseen: true });
  await patches.reached;
  proxy.hold(() => true, "before", FOREVER);
  await expectOut(crdshift, proxy, definition);
  expect(await readRecord(definition)).toMatchObject({ proof: null, runs: [{ endedAt: null }] });
});

// Without endAtShutdown (clean-managed-fields.ts) it goes on until the process has ended, and nothing says what it did.
faultTest("SIGTERM during a cleaning, while a run's end is being written: it is silent after a second, and recorded", async (bench) => {
  const { cluster, proxy, stale } = bench;
  const crdshift = await startCrdshift(cluster, proxy);
  const running = await stale(OBJECTS);
  const cleaned = await stale(2_000);
  const ends = proxy.hold(recordOf(running, "crdshift was shut down"), "before", FOREVER);
  const patches = proxy.hold(past(5, patchOf(running)), "before", FOREVER);
  await crdshift.start(running, { acceptUnseen: true });
  await patches.reached;
  const cleaning = await askDashboard(`${crdshift.url}/api/clusters/faults/crds/${cleaned.name}/managed-fields/clean`, {
    ...{ method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ versions: ["v1beta1"] }) },
    signal: AbortSignal.timeout(120_000),
  });
  const stream = cleaning.text().catch(String);
  await expect.poll(() => proxy.seen.filter(patchOf(cleaned)).length, SOON).toBeGreaterThan(DONE);
  const pressedAt = performance.now();
  crdshift.signal("SIGTERM");
  await ends.reached;
  expect(await crdshift.exited).toBe(0);
  await stream;
  expect(proxy.seen.findLast(patchOf(cleaned))?.at).toBeLessThan(pressedAt + SILENT_AFTER_MS);
  expect(crdshift.output()).toContain('"action":"cleaned"');
  ends.release();
  patches.release();
});

/** After a second it sends only its last record update, which a slow API server may delay: one read and one write. */
async function expectOut(crdshift: CrdshiftProcess, proxy: FaultProxy, { name }: SampleDefinition): Promise<void> {
  const pressedAt = performance.now();
  expect(await Promise.race([crdshift.stop("SIGTERM"), setTimeout(OUT_WITHIN_MS, "still there")])).toBe(0);
  const late = proxy.seen.filter(({ at }) => at > pressedAt + SILENT_AFTER_MS);
  const isOfRecord = ({ path }: SeenRequest) => path.split("?")[0]?.endsWith(`/customresourcedefinitions/${name}`);
  const farewell = ["GET", "PATCH"].map((verb) => late.find((request) => request.method === verb && isOfRecord(request)));
  expect(late.filter((request) => !farewell.includes(request)).map(({ method, path }) => `${method} ${path}`)).toEqual([]);
}
