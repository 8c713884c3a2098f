import { expect } from "vitest";
import type { Match } from "#lib/cluster/testing/fault-proxy.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { pauseRewrite } from "#lib/rewrite/commands/pause-rewrite.ts";
import { resumeRewrite } from "#lib/rewrite/commands/resume-rewrite.ts";
import { stopAllRuns } from "#lib/rewrite/run/running.ts";
import { faultTest, recordOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";

const long = { timeout: 60_000 };

// Without the look after the error (begin-run.ts), the run shows as running for 45 s, though nobody runs it.
faultTest("a run whose first record is written, and the answer lost, runs to its proof, and so does one that is resumed", async (bench) => {
  const { connection, proxy, stale, start, endOf, rewritten } = bench;
  const definition = await stale(60);
  const met = proxy.inject(recordOf(definition, "settling"), { kind: "reset", when: "after" }, 1);
  const { id } = await start(definition, { acceptUnseen: true, maxPerSecond: 20 });
  expect(met.hits()).toBe(1);
  await rewritten(definition, id, 1);

  await stopAllRuns();
  const again = proxy.inject(recordOf(definition, "settling"), { kind: "reset", when: "after" }, 1);
  await resumeRewrite(connection, definition.name, id, { acceptUnseen: true, settleSeconds: 0, signal: soon() });
  expect(again.hits()).toBe(1);
  expect(await endOf(definition, id)).toMatchObject({ phase: "succeeded", counts: { total: 60 } });
});

faultTest(
  "if nobody can tell whether the first record was written, the start says so, and no other crdshift is blamed",
  async ({ connection, proxy, stale, start, run }) => {
    const definition = await stale(3);
    const read: Match = ({ method, path }) => method === "GET" && path.endsWith(`/customresourcedefinitions/${definition.name}`);
    const held = proxy.hold(recordOf(definition, "settling"), "after");
    proxy.inject(recordOf(definition, "settling"), { kind: "reset", when: "after" }, 1);
    const started = start(definition, { acceptUnseen: true }).catch((error: unknown) => error);
    await held.reached;
    const reads = proxy.inject(read, { kind: "reset", when: "before" }, Number.POSITIVE_INFINITY);
    held.release();
    expect(await started).toMatchObject({ code: "cluster_unreachable", details: { unconfirmed: true } });
    reads.stop();

    const { id } = (await readRecord(definition)).runs[0] ?? { id: "" };
    await expect.poll(() => run(definition, id).catch(() => null)).toMatchObject({ phase: "settling" });
    await expect(pauseRewrite(connection, definition.name, id, soon())).rejects.toMatchObject({
      code: "conflict",
      message: "The API server's answer was lost as this rewrite began, so nothing runs it.",
    });
  },
  long,
);

// Without inWordsIfTimedOut (unanswered-write.ts for the write, begin-run.ts for the read) it ends as an internal error, to be reported.
faultTest(
  "a run that takes too long to begin says that the API server didn't answer in time",
  async ({ proxy, stale, start }) => {
    const [unwritten, unread] = [await stale(1), await stale(1)];
    proxy.hold(recordOf(unwritten, "settling"), "before");
    proxy.hold(({ method, path }) => method === "GET" && path.endsWith(`/customresourcedefinitions/${unread.name}`), "before");
    const begin = (definition: SampleDefinition) => start(definition, { acceptUnseen: true }).catch((error: unknown) => error);
    const ended = await Promise.all([unwritten, unread].map(begin));
    const words = expect.stringContaining("didn't answer in time.");
    expect(ended).toMatchObject(Array(2).fill({ code: "cluster_timeout", message: words, nextStep: expect.stringContaining("Retry") }));
    for (const definition of [unwritten, unread]) expect((await definition.read()).metadata.annotations).toBeUndefined();
  },
  long,
);
