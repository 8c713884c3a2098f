import { expect } from "vitest";
import { sleep } from "#lib/async/sleep.ts";
import { endSentence } from "#lib/domain/rewrite/run-sentences.ts";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { pauseRewrite } from "#lib/rewrite/commands/pause-rewrite.ts";
import { resumeRewrite } from "#lib/rewrite/commands/resume-rewrite.ts";
import { type FaultBench, faultTest, past, patchOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { tellRun } from "#lib/rewrite/testing/bench/tell-run.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";
import { removeNotes } from "#lib/rewrite/testing/webhooks/remove-notes.ts";

/** A run writes this many objects at a time. */
const WORKERS = 24;
const spec = () => ({ note: "precious" });

/** A run whose writes are held after the first `written` until a webhook that takes the notes is in force. */
async function installedMidRun({ proxy, api, start, endOf }: FaultBench, definition: SampleDefinition, written: number) {
  const held = proxy.hold(past(written, patchOf(definition)), "before", Number.POSITIVE_INFINITY);
  const { id } = await start(definition);
  await held.reached;
  await removeNotes(api, definition);
  // Longer than between two readings in a row; nothing is written meanwhile.
  await sleep(600, soon());
  held.release();
  return endOf(definition, id);
}

const told = (text: string | null) => Number(/Up to (\d+) objects? written in that time weren't checked first/.exec(text ?? "")?.[1] ?? 0);

// Without distrust (unchecked-write.ts) it is noticed after five seconds: the notes of all objects are gone.
faultTest("a webhook installed mid-run takes nothing but from the writes under way, and the end tells how many", async (bench) => {
  const definition = await bench.stale(150, { spec });
  const run = await installedMidRun(bench, definition, 30);
  const values = [...(await definition.storedValues(bench.cluster.etcd)).values()];
  const lost = values.filter(({ text }) => !text.includes("precious")).length;
  expect(run).toMatchObject({ phase: "unproven", rejections: [{ reason: "WouldLose" }] });
  expect(lost).toBeGreaterThan(0);
  expect(lost).toBeLessThanOrEqual(2 * WORKERS);
  expect(told(run.statusReason)).toBeGreaterThanOrEqual(lost);
  expect(run.counts.rejected).toBe(150 - run.counts.rewritten);
});

// Without close (rewrite-objects.ts) nobody reads once more, and the run ends without a word.
faultTest("a webhook installed while the last objects are written is told, in the run's end and its history", async (bench) => {
  const definition = await bench.stale(4, { spec });
  const run = await installedMidRun(bench, definition, 0);
  expect(run).toMatchObject({ phase: "succeeded", counts: { rewritten: 4 } });
  expect(told(run.statusReason)).toBe(4);
  expect(run.statusReason).toContain("Compare them with a backup");
  expect(told((await readRecord(definition)).runs[0]?.statusReason ?? null)).toBe(4);
  expect(told(endSentence({ ...run, phase: "succeeded" }))).toBe(4);
});

// Without lastLook (run-rewrite.ts) nobody reads once more, and the cancelled run ends without a word.
faultTest("a webhook installed since the last reading is told in the end of a run that is cancelled", async (bench) => {
  const { proxy, api, connection, start, rewritten } = bench;
  const definition = await bench.stale(3, { spec });
  await bench.dryRun(definition);
  const last = proxy.hold(patchOf(definition, objectName(2)), "before", Number.POSITIVE_INFINITY);
  const others = proxy.hold((request) => patchOf(definition)(request) && !request.path.includes(objectName(2)), "before", 2);
  const run = await start(definition);
  await Promise.all([last.reached, others.reached]);
  await removeNotes(api, definition);
  others.release();
  await rewritten(definition, run.id, 2);
  const end = await tellRun(connection).cancel(run);
  expect(end).toMatchObject({ phase: "cancelled", counts: { rewritten: 2 } });
  // The one under way may have been stored as well.
  expect(told(end.statusReason)).toBe(3);
});

// Decided before the wait for a turn (write-in-turn.ts), the next 24 were written unchecked, each a moment after a reading had told of it.
faultTest("a webhook installed during a pause takes nothing from the objects that waited for their turn", async (bench) => {
  const { api, connection, start, rewritten, endOf } = bench;
  const definition = await bench.stale(40, { spec });
  await bench.dryRun(definition);
  const { id } = await start(definition, { maxPerSecond: 4 });
  await rewritten(definition, id, 3);
  await pauseRewrite(connection, definition.name, id, soon());
  await expect.poll(async () => (await bench.run(definition, id)).phase).toBe("paused");
  await removeNotes(api, definition);
  // Longer than a reading is believed.
  await sleep(6_000, soon());
  await resumeRewrite(connection, definition.name, id, { settleSeconds: 0, signal: soon() });
  expect(await endOf(definition, id)).toMatchObject({ phase: "unproven", rejections: [{ reason: "WouldLose" }] });
  const values = [...(await definition.storedValues(bench.cluster.etcd)).values()];
  expect(values.filter(({ text }) => !text.includes("precious"))).toEqual([]);
});
