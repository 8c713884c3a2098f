import { expect } from "vitest";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { cancelRewrite } from "#lib/rewrite/commands/cancel-rewrite.ts";
import { changeRewrite } from "#lib/rewrite/commands/change-rewrite.ts";
import { pauseRewrite } from "#lib/rewrite/commands/pause-rewrite.ts";
import { resumeRewrite } from "#lib/rewrite/commands/resume-rewrite.ts";
import { stopAllRuns } from "#lib/rewrite/run/running.ts";
import { type FaultBench, faultTest, patchOf, recordOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";
import { writeRecord } from "#lib/rewrite/testing/record/write-record.ts";

const OBJECTS = 120;
const long = { timeout: 60_000 };
/** So slow that most objects are left. */
const slowly = { acceptUnseen: true, maxPerSecond: 20 } as const;
const rest = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const cancel = ({ connection }: FaultBench, { name }: SampleDefinition, id: string) => cancelRewrite(connection, name, id, soon());

/** A definition with a settle point of this crdshift, so that its next run writes at once: a run that has rewritten a few was cancelled. */
async function settled(bench: FaultBench): Promise<SampleDefinition> {
  const definition = await bench.stale(OBJECTS);
  const { id } = await bench.start(definition, slowly);
  await bench.rewritten(definition, id, 1);
  await cancel(bench, definition, id);
  return definition;
}

/** A run whose record the API server has written, without the answer, and which the watch shows. */
async function beginning({ connection, proxy }: FaultBench, definition: SampleDefinition, begin: () => Promise<Run>) {
  const held = proxy.hold(recordOf(definition, "settling"), "after");
  const begun = begin().catch((error: unknown) => error);
  await held.reached;
  const shown = async () => (await readDetail(connection, definition.name, soon())).run;
  await expect.poll(async () => (await shown())?.phase, { timeout: 20_000 }).toBe("settling");
  return { id: (await shown())?.id ?? "", begun, release: held.release };
}

/** Expects that no object is written any more, by what was sent and by what etcd has. */
async function expectNoWrite(bench: FaultBench, definition: SampleDefinition, work: () => Promise<void>): Promise<void> {
  const before = await bench.storedAs(definition);
  const sent = () => bench.proxy.seen.filter(patchOf(definition)).length;
  const sentBefore = sent();
  await work();
  await rest(2_500);
  expect(sent()).toBe(sentBefore);
  expect(await bench.storedAs(definition)).toEqual(before);
}

const begins: [string, (bench: FaultBench, definition: SampleDefinition) => Promise<() => Promise<Run>>][] = [
  ["started", async (bench, definition) => () => bench.start(definition, slowly)],
  [
    "resumed",
    async (bench, definition) => {
      const { id } = await bench.start(definition, slowly);
      await stopAllRuns();
      return () => resumeRewrite(bench.connection, definition.name, id, { acceptUnseen: true, settleSeconds: 0, signal: soon() });
    },
  ],
];

// Where cancel-rewrite.ts doesn't wait for it (untilBegun in running.ts), it takes the run for abandoned, which writes for up to 15 s.
for (const [name, prepare] of begins) {
  faultTest(
    `a run that is cancelled while the API server's answer to its record is on its way writes nothing (${name})`,
    async (bench) => {
      const definition = await settled(bench);
      const begin = await prepare(bench, definition);
      const { id, begun, release } = await beginning(bench, definition, begin);
      await expectNoWrite(bench, definition, async () => {
        const cancelled = cancel(bench, definition, id).then((run) => ({ run, at: performance.now() }));
        await rest(500);
        const releasedAt = performance.now();
        release();
        const { run, at } = await cancelled;
        expect(run).toMatchObject({ id, phase: "cancelled" });
        expect(at - releasedAt).toBeLessThan(1_000);
        expect(at).toBeGreaterThan(releasedAt);
        await begun;
      });
      expect(await readRecord(definition)).toMatchObject({ holder: null, runs: [{ id, phase: "cancelled" }, {}] });
    },
    long,
  );
}

faultTest(
  "a cancel isn't held for ever by a run that hangs as it begins: it says so, and the run ends before it writes",
  async (bench) => {
    const definition = await settled(bench);
    const { id, begun, release } = await beginning(bench, definition, () => bench.start(definition, slowly));
    await expectNoWrite(bench, definition, async () => {
      await expect(cancel(bench, definition, id)).rejects.toMatchObject({
        code: "cluster_timeout",
        message: "The API server hasn't confirmed yet that the rewrite has begun. It is cancelled before it changes any object.",
      });
      release();
      await begun;
      expect(await bench.endOf(definition, id)).toMatchObject({ phase: "cancelled" });
    });
  },
  long,
);

// Without the same wait in control-here.ts, another crdshift is said to run it.
faultTest(
  "a run can be paused and limited while it begins, and writes nothing until it is resumed",
  async (bench) => {
    const { connection, proxy } = bench;
    const definition = await settled(bench);
    const { id, begun, release } = await beginning(bench, definition, () => bench.start(definition, slowly));
    await expectNoWrite(bench, definition, async () => {
      const paused = pauseRewrite(connection, definition.name, id, soon());
      const limited = changeRewrite(connection, definition.name, id, { maxPerSecond: 50, signal: soon() });
      release();
      expect(await paused).toMatchObject({ id });
      expect(await limited).toMatchObject({ id, maxPerSecond: 50 });
      await begun;
      await expect.poll(async () => (await bench.run(definition, id)).phase).toBe("paused");
    });
    await resumeRewrite(connection, definition.name, id, { settleSeconds: 0, signal: soon() });
    await expect.poll(() => proxy.seen.filter(patchOf(definition)).length).toBeGreaterThan(0);
    expect(await bench.endOf(definition, id)).toMatchObject({ phase: "succeeded" });
  },
  long,
);

// Without the look at the newest record (stop-when-changed.ts) it writes until its first renewal, after 15 s.
faultTest(
  "a run whose record has got an end before it begins writes nothing, and leaves the record as it is",
  async (bench) => {
    const definition = await settled(bench);
    const { id, begun, release } = await beginning(bench, definition, () => bench.start(definition, slowly));
    const record = await readRecord(definition);
    const [run, ...older] = record.runs;
    if (!run) throw new Error("The record has no run.");
    const ended = { ...run, phase: "cancelled" as const, endedAt: new Date().toISOString(), statusReason: "Cancelled elsewhere." };
    await writeRecord(bench.api, definition, { ...record, holder: null, runs: [ended, ...older] });
    await expect.poll(async () => (await bench.run(definition, id)).phase).toBe("cancelled");
    await expectNoWrite(bench, definition, async () => {
      release();
      await begun;
    });
    expect(await readRecord(definition)).toMatchObject({ holder: null, runs: [ended, {}] });
    expect(await bench.run(definition, id)).toMatchObject({ phase: "cancelled", statusReason: "Cancelled elsewhere." });
  },
  long,
);
