import { expect, test } from "vitest";
import { cancelRewrite } from "#lib/rewrite/commands/cancel-rewrite.ts";
import { resumeRewrite } from "#lib/rewrite/commands/resume-rewrite.ts";
import { stopAllRuns } from "#lib/rewrite/run/running.ts";
import { faultTest, patchOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { holdElsewhere, readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";
import { writeRecord } from "#lib/rewrite/testing/record/write-record.ts";
import { removeNotes } from "#lib/rewrite/testing/webhooks/remove-notes.ts";

const { api, connection, stale, rewrite, run, endOf, start, storedAs } = await openTestBench();

const OBJECTS = 3;
const untold = expect.stringContaining("If mutating webhooks or policies changed just before, these objects may have lost fields");

/** A run whose process was killed while it wrote. Nothing shows whether a webhook came and went with its last writes. */
async function killed(options = {}) {
  const definition = await stale(OBJECTS);
  const { id } = await rewrite(definition, options);
  await holdElsewhere(api, definition, { phase: "rewriting", endedAt: null, renewedAt: new Date(Date.now() - 60_000).toISOString() });
  await expect.poll(async () => (await run(definition, id)).phase).toBe("interrupted");
  return { definition, id };
}

// Without its second sentence, unknownWrites (unknown-writes.ts) tells only of a changed definition, and the proof says no word.
test("a run that is resumed after its process was killed tells that its last writes may have met a new webhook", async () => {
  const { definition, id } = await killed();
  await resumeRewrite(connection, definition.name, id, { settleSeconds: 0, signal: soon() });
  expect(await endOf(definition, id)).toMatchObject({ phase: "succeeded", statusReason: untold });
});

test("a run that is cancelled after its process was killed tells it, too", async () => {
  const { definition, id } = await killed();
  expect(await cancelRewrite(connection, definition.name, id, soon())).toMatchObject({ phase: "cancelled", statusReason: untold });
});

// Without reasonsBefore (cancel-rewrite.ts) the record no longer tells what the interrupted run left.
test("an interrupted run that is cancelled keeps what its end told", async () => {
  const definition = await stale(OBJECTS);
  const { id } = await rewrite(definition);
  const statusReason = "crdshift was shut down. 3 objects still name crdshift in managedFields.";
  await holdElsewhere(api, definition, { phase: "interrupted", statusReason });
  await expect.poll(async () => (await run(definition, id)).phase).toBe("interrupted");
  const cancelled = await cancelRewrite(connection, definition.name, id, soon());
  expect(cancelled).toMatchObject({ phase: "cancelled", statusReason: `Cancelled. It was interrupted before: ${statusReason}` });
});

// Without caveatsOfReplaced (start-rewrite.ts) the new rewrite is proven, and nobody can resume or cancel the killed one to hear of it.
test("a new rewrite in place of a killed run tells it, too, and so does one in place of that", async () => {
  const { definition } = await killed();
  expect(await rewrite(definition)).toMatchObject({ phase: "succeeded", statusReason: untold });
  await holdElsewhere(api, definition, { phase: "interrupted", statusReason: "A fault." });
  expect(await rewrite(definition)).toMatchObject({ phase: "succeeded", statusReason: untold });
  expect(await rewrite(definition)).toMatchObject({ phase: "succeeded", statusReason: null, caveats: [] });
});

test("a killed run whose losses were accepted unseen says nothing of webhooks", async () => {
  const { definition, id } = await killed({ acceptUnseen: true });
  expect(await cancelRewrite(connection, definition.name, id, soon())).toMatchObject({ phase: "cancelled", caveats: [] });
});

// Without stillAccepted (caveats-of-stopped.ts) whoever may patch the definition keeps it from being told.
test("a killed run whose losses somebody else says were accepted unseen tells it when it is cancelled", async () => {
  const { definition, id } = await killed({ acceptUnseen: true });
  const [killedRun] = (await readRecord(definition)).runs;
  if (!killedRun?.acceptedLosses) throw new Error("The run accepted nothing.");
  await holdElsewhere(api, definition, { acceptedLosses: { ...killedRun.acceptedLosses, by: "another" } });
  expect(await cancelRewrite(connection, definition.name, id, soon())).toMatchObject({ phase: "cancelled", statusReason: untold });
});

// Without settledAt (check-losses.ts) it says "It rewrote nothing" of objects that it rewrote since its last renewal.
test("a killed run that is held back once resumed doesn't say that it rewrote nothing", async () => {
  const definition = await stale(OBJECTS, { spec: () => ({ note: "precious" }) });
  const { id } = await start(definition, { maxPerSecond: 1 });
  await expect.poll(async () => (await storedAs(definition)).v1).toBeGreaterThan(0);
  await stopAllRuns();
  const silent = { endedAt: null, renewedAt: new Date(Date.now() - 60_000).toISOString() };
  await holdElsewhere(api, definition, { ...silent, phase: "rewriting" });
  // Made by another crdshift, it would be made again.
  await writeRecord(api, definition, { ...(await readRecord(definition)), dryRun: null });
  await expect.poll(async () => (await run(definition, id)).phase).toBe("interrupted");
  await removeNotes(api, definition);
  await resumeRewrite(connection, definition.name, id, { settleSeconds: 0, signal: soon() });
  const heldBackBecause = expect.stringMatching(/^It rewrote nothing more since it was resumed: spec\.note/);
  expect(await endOf(definition, id)).toMatchObject({ phase: "unproven", heldBackBecause });
});

// Without caveats in the snapshot (snapshot.ts) only the run's end tells, which a killed process never writes.
faultTest("a run's record tells of a webhook that it met before its process is killed", async (bench) => {
  const { proxy } = bench;
  const definition = await bench.stale(40, { spec: () => ({ note: "precious" }) });
  await bench.dryRun(definition);
  const patch = proxy.hold(patchOf(definition), "after");
  await bench.start(definition, { maxPerSecond: 1 });
  await patch.reached;
  await removeNotes(bench.api, definition);
  const recorded = async () => (await readRecord(definition)).runs[0];
  const caveats = [expect.stringContaining("Mutating webhooks or policies were added")];
  await expect.poll(recorded, { timeout: 50_000 }).toMatchObject({ endedAt: null, caveats });
});

// Without the write of beginRewriting (run-rewrite.ts), a run that is killed before its first renewal says nothing of its last writes.
faultTest("a run's record names its settle point before its first write", async (bench) => {
  const definition = await bench.stale(OBJECTS);
  await bench.dryRun(definition);
  const patch = bench.proxy.hold(patchOf(definition), "before");
  const { id } = await bench.start(definition);
  await patch.reached;
  const { runs, settlePoint } = await readRecord(definition);
  expect(settlePoint).not.toBeNull();
  expect(runs[0]).toMatchObject({ id, phase: "rewriting", settleResourceVersion: settlePoint?.resourceVersion });
  patch.release();
  expect(await bench.endOf(definition, id)).toMatchObject({ phase: "succeeded" });
});
