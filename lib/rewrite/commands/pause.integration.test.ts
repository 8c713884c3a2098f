import { expect, test } from "vitest";
import type { Run } from "#lib/domain/rewrite/run.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { untilRecorded } from "#lib/rewrite/record/record-action.ts";
import { faultTest } from "#lib/rewrite/testing/bench/fault-test.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { tellRun } from "#lib/rewrite/testing/bench/tell-run.ts";
import { admissionWebhook } from "#lib/rewrite/testing/webhooks/webhook-server.ts";
import { resumeRewrite } from "./resume-rewrite.ts";
import { startRewrite } from "./start-rewrite.ts";

const bench = await openTestBench();
const { connection, stale, start, endOf, patchesOf, storedAs } = bench;
const { pause, resume, change } = tellRun(connection);
const rest = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const inForce = (definition: SampleDefinition, { id }: Run) =>
  expect.poll(async () => (await bench.run(definition, id)).phase).toBe("paused");

test("a paused run sends no patch until it is resumed, and ends as if it had never stopped", async () => {
  const definition = await stale(250);
  await bench.dryRun(definition);
  const run = await start(definition, { maxPerSecond: 100 });
  await bench.rewritten(definition, run.id, 20);
  await pause(run);
  await inForce(definition, run);
  const stored = await storedAs(definition);
  const patches = stored.v1;
  // The API server counts a request after its answer.
  await expect.poll(() => patchesOf(definition)).toBe(patches);
  await rest(2_500);
  expect([await patchesOf(definition), await storedAs(definition)]).toEqual([patches, stored]);
  const paused = await bench.run(definition, run.id);
  expect(paused).toMatchObject({ phase: "paused", command: null, ratePerSecond: null, etaSeconds: null });
  expect(paused.counts.remaining).toBeGreaterThan(0);

  const onlyTakeBack = resumeRewrite(connection, run.crd, run.id, { onlyTakeBack: true, settleSeconds: 0, signal: soon() });
  await expect(onlyTakeBack).rejects.toMatchObject({ code: "conflict", details: { run: { phase: "paused" } } });
  const resumed = await resume(run);
  expect(resumed).toMatchObject({ phase: "rewriting", command: null });
  const end = await endOf(definition, run.id);
  expect(end).toMatchObject({ phase: "succeeded", counts: { total: 250, rewritten: 250, rejected: 0 } });
  expect(end.rates.perSecond).toContain(0);
  expect(await storedAs(definition)).toEqual({ v1: 250 });
});

// With a pause in force for rewriting and verifying alone (snapshot in progress.ts) it stays pending forever and can only be withdrawn.
test("a run can be paused during its own dry run: nothing is tried until it resumes", async () => {
  const definition = await stale(60);
  const run = await start(definition, { maxPerSecond: 5 });
  const now = () => bench.run(definition, run.id);
  await expect.poll(async () => (await now()).statusReason, { timeout: 20_000, interval: 20 }).toMatch(/^Dry run first: [1-9]/);
  await pause(run);
  await inForce(definition, run);
  expect(await now()).toMatchObject({
    command: null,
    settledAt: null,
    statusReason: expect.stringMatching(/^Paused manually\. Dry run first: [1-9]/),
  });
  // How far it has come is shown a moment later.
  let statusReason: string | null = null;
  const isShown = async () => {
    const before = statusReason;
    ({ statusReason } = await now());
    return statusReason === before;
  };
  await expect.poll(isShown, { interval: 700 }).toBe(true);
  await rest(1_500);
  expect(await now()).toMatchObject({ phase: "paused", statusReason });

  expect(await resume(run)).toMatchObject({ phase: "settling", command: null });
  await change(run, null);
  expect(await endOf(definition, run.id)).toMatchObject({ phase: "succeeded", counts: { rewritten: 60 } });
});

test("a run can be paused while it settles, and then starts no object", async () => {
  const definition = await stale(20);
  // Counts from the flip. Accepted losses spare the dry run, which would come first.
  const run = await startRewrite(connection, definition.name, { acceptUnseen: true, settleSeconds: 10, signal: soon() });
  expect(await pause(run)).toMatchObject({ phase: "paused", command: null, settledAt: null });
  await expect.poll(async () => (await bench.run(definition, run.id)).settledAt, { timeout: 30_000 }).not.toBeNull();
  await rest(700);
  expect(await bench.run(definition, run.id)).toMatchObject({ phase: "paused", counts: { rewritten: 0 } });
  expect(await storedAs(definition)).toEqual({ v1beta1: 20 });
  await resume(run);
  expect(await endOf(definition, run.id)).toMatchObject({ phase: "succeeded", counts: { rewritten: 20 } });
});

test("a pause shows as pending while requests are in progress, and can be withdrawn", async () => {
  const definition = await stale(60);
  const webhook = await admissionWebhook(bench, definition);
  await bench.dryRun(definition);
  webhook.hold();
  const before = webhook.calls();
  const run = await start(definition);
  await expect.poll(webhook.calls, { timeout: 20_000 }).toBeGreaterThan(before);
  expect(await pause(run)).toMatchObject({ phase: "rewriting", command: "pause" });
  await rest(700);
  expect(await bench.run(definition, run.id)).toMatchObject({ phase: "rewriting", command: "pause" });
  expect(await resume(run)).toMatchObject({ phase: "rewriting", command: null });

  expect(await pause(run)).toMatchObject({ command: "pause" });
  webhook.release();
  await inForce(definition, run);
  expect(await bench.run(definition, run.id)).toMatchObject({ command: null });
  await resume(run);
  expect(await endOf(definition, run.id)).toMatchObject({ phase: "succeeded", counts: { rewritten: 60 } });
});

// If whoAmI comes after the check of the run (resume-rewrite.ts), the run shows as rewriting for 45 s, and then as interrupted.
faultTest("a run that is cancelled while it is being resumed with a reason stays cancelled", async (faulty) => {
  const { connection, proxy, stale, start, rewritten } = faulty;
  const { pause, cancel } = tellRun(connection);
  const definition = await stale(60);
  const run = await start(definition, { acceptUnseen: true, maxPerSecond: 4 });
  await rewritten(definition, run.id, 1);
  await pause(run);
  // Who paused it is asked for its Event.
  await untilRecorded();
  const review = proxy.hold(({ path }) => path.includes("/selfsubjectreviews"), "before");
  const options = { reason: "The night is over.", settleSeconds: 0, signal: soon() };
  const resuming = resumeRewrite(connection, run.crd, run.id, options).catch((error: unknown) => error);
  await review.reached;
  expect(await cancel(run)).toMatchObject({ phase: "cancelled" });
  review.release();
  expect(await resuming).toMatchObject({ code: "conflict", details: { run: { phase: "cancelled" } } });
  expect(await faulty.run(definition, run.id)).toMatchObject({ phase: "cancelled", command: null, reasons: [] });
});
