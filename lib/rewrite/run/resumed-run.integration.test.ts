import { expect, test } from "vitest";
import { readHistory } from "#lib/cluster/history/read-history.ts";
import type { Match } from "#lib/cluster/testing/fault-proxy.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { cancelRewrite } from "#lib/rewrite/commands/cancel-rewrite.ts";
import { resumeRewrite } from "#lib/rewrite/commands/resume-rewrite.ts";
import { faultTest, patchOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { beforeFlip } from "#lib/rewrite/testing/bench/stale-definition.ts";
import { holdElsewhere, readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";
import { stopRunning } from "./running.ts";
import { StopRun } from "./stop-run.ts";

const { api, connection, stale, rewrite, run, endOf, start } = await openTestBench();

const OBJECTS = 3;
const FOREVER = Number.POSITIVE_INFINITY;
const SHUT_DOWN = "crdshift was shut down.";
const shutDown = ({ name: crd }: SampleDefinition, id: string) => stopRunning({ crd, id }, new StopRun("interrupted", SHUT_DOWN));
const watches: Match = ({ path }) => path.startsWith("/apis/apiextensions.k8s.io/") && path.includes("watch=1");
const isReading: Match = ({ method, path, headers }) =>
  method === "GET" && path.includes("/customresourcedefinitions/") && headers.accept?.includes("PartialObjectMetadata") === true;

// Without withInterruption (resume-rewrite.ts) only an Event says it, for an hour.
test("a resumed run keeps when and why it was interrupted, and history tells", async () => {
  const definition = await stale(OBJECTS);
  const { id } = await start(definition, { acceptUnseen: true, maxPerSecond: 1 });
  await shutDown(definition, id);
  const [interrupted] = (await readRecord(definition)).runs;
  await resumeRewrite(connection, definition.name, id, { settleSeconds: 0, signal: soon() });
  expect(await endOf(definition, id)).toMatchObject({
    ...{ phase: "succeeded", statusReason: null },
    interruptions: [{ at: interrupted?.endedAt, because: SHUT_DOWN }],
  });
  const { items } = await readHistory(connection, definition.name, soon());
  expect(items.filter(({ kind }) => kind === "interrupted")).toEqual([
    expect.objectContaining({
      at: interrupted?.endedAt,
      message: expect.stringContaining(SHUT_DOWN),
      sources: expect.arrayContaining(["annotation"]),
    }),
  ]);
});

// Without caveats (run-rewrite.ts) the proof says nothing of it.
faultTest("the end of a resumed run tells what its interruption left unknown", async (bench) => {
  const { proxy } = bench;
  const watching = proxy.inject(watches, { kind: "hang" });
  const definition = await bench.stale(OBJECTS, { spec: () => ({ note: "precious" }) });
  await bench.dryRun(definition);
  const patches = proxy.hold(patchOf(definition), "after", FOREVER);
  const { id } = await bench.start(definition);
  await expect.poll(() => proxy.seen.filter(patchOf(definition)).length).toBe(OBJECTS);
  const readings = proxy.hold(isReading, "before", FOREVER);
  await definition.setVersions(beforeFlip);
  await shutDown(definition, id);
  const unconfirmed = expect.stringContaining("3 objects were written after crdshift last found");
  expect((await readRecord(definition)).runs[0]).toMatchObject({ phase: "interrupted", statusReason: unconfirmed });
  for (const held of [patches, readings]) held.release();
  watching.stop();
  await resumeRewrite(bench.connection, definition.name, id, { settleSeconds: 0, acceptUnseen: true, signal: soon() });
  expect(await bench.endOf(definition, id)).toMatchObject({ phase: "succeeded", statusReason: unconfirmed });
});

const silent = expect.stringContaining("Nobody knows which objects the rewrite wrote last before its process ended");

/** A run that was killed, resumed on another definition, and killed again. */
async function killedTwice() {
  const definition = await stale(OBJECTS);
  const { id } = await rewrite(definition, { acceptUnseen: true });
  const kill = async () => {
    await holdElsewhere(api, definition, {
      phase: "rewriting",
      statusReason: null,
      endedAt: null,
      renewedAt: new Date(Date.now() - 60_000).toISOString(),
    });
    await expect.poll(async () => (await run(definition, id)).phase).toBe("interrupted");
  };
  await kill();
  await definition.setVersions([{ name: "v1", storage: true }, { name: "v1beta1" }, { name: "v1alpha1" }]);
  await resumeRewrite(connection, definition.name, id, { settleSeconds: 0, acceptUnseen: true, signal: soon() });
  await endOf(definition, id);
  await kill();
  return { definition, id };
}

// Without caveats (resume-rewrite.ts, cancel-rewrite.ts) the second one says no word of the first kill.
test("a run that is killed again after it was resumed tells at its end what the first kill left unknown", async () => {
  const { definition, id } = await killedTwice();
  expect(await run(definition, id)).toMatchObject({ phase: "interrupted", caveats: [silent] });
  await resumeRewrite(connection, definition.name, id, { settleSeconds: 0, signal: soon() });
  expect(await endOf(definition, id)).toMatchObject({
    phase: "succeeded",
    statusReason: silent,
    interruptions: [{ because: null }, { because: null }],
  });
});

test("a run that is cancelled after its second kill tells what the first one left unknown", async () => {
  const { definition, id } = await killedTwice();
  expect(await cancelRewrite(connection, definition.name, id, soon())).toMatchObject({ phase: "cancelled", statusReason: silent });
});
