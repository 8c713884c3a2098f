import { expect } from "vitest";
import { describeRun } from "#lib/cli/describe/describe-run.ts";
import { readHistory } from "#lib/cluster/history/read-history.ts";
import type { Run } from "#lib/contract/rewrite/run.ts";
import { runVerdict } from "#lib/domain/rewrite/run-verdict.ts";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { cancelRewrite } from "#lib/rewrite/commands/cancel-rewrite.ts";
import { resumeRewrite } from "#lib/rewrite/commands/resume-rewrite.ts";
import { untilRecorded } from "#lib/rewrite/record/record-action.ts";
import { stopRunning } from "#lib/rewrite/run/running.ts";
import { StopRun } from "#lib/rewrite/run/stop-run.ts";
import { type FaultBench, faultTest, listOf, past, patchOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";

const OBJECTS = 120;
const GONE = { kind: "Status", apiVersion: "v1", status: "Failure", reason: "Expired", message: "too old", code: 410 };

// Without provenObjects (run-sentences.ts) the run's words count the four deleted objects: "All 10 objects were stored as v1 when it ended."
faultTest("objects are deleted before the verification: what is stored is told by the proof", async (bench) => {
  const { proxy, api, stale, start, endOf, storedAs, connection } = bench;
  const definition = await stale(10);
  const verification = proxy.hold(past(1, listOf(definition)), "before", 1);
  const { id } = await start(definition, { acceptUnseen: true });
  await verification.reached;
  for (let index = 0; index < 4; index++) await api.delete(definition.path("v1", { name: objectName(index) }));
  verification.release();

  const run = await endOf(definition, id);
  expect(await storedAs(definition)).toEqual({ v1: 6 });
  expect(runVerdict(run)?.sentence).toBe("All 6 objects were stored as v1 when it ended.");
  expect(describeRun(run, { leftovers: [], program: "crdshift" })).toContain("All 6 objects were stored as v1 when it ended.");
  expect(run).toMatchObject({ phase: "succeeded", provenObjects: 6, counts: { rewritten: 10 } });
  await untilRecorded();
  const { items } = await readHistory(connection, definition.name, soon());
  const told = items.filter(({ kind }) => kind === "succeeded").map(({ message }) => message);
  expect(told).toEqual(["The rewrite is proven: all 6 objects are stored as v1."]);
});

// Without the record's counts in the tally (run-rewrite.ts) it says "Cancelled before any object was rewritten."
faultTest("a resumed run that is cancelled before its first list tells what it rewrote", async (bench) => {
  const { connection, proxy, storedAs, run } = bench;
  const { definition, id, rewritten } = await interrupted(bench);
  const list = proxy.hold(listOf(definition), "before", 1);
  await resumeRewrite(connection, definition.name, id, { settleSeconds: 0, signal: soon() });
  await list.reached;
  expect((await run(definition, id)).counts).toMatchObject({ total: OBJECTS, rewritten });
  const end = await cancelRewrite(connection, definition.name, id, soon());
  list.release();
  const stored = await storedAs(definition);
  expect(end.counts).toMatchObject({ total: OBJECTS, rewritten, remaining: OBJECTS - rewritten });
  expect(stored.v1 === rewritten || end.rewrittenAtLeast).toBe(true);
  expect(runVerdict(end)?.sentence).toBe(
    `Cancelled with ${OBJECTS - rewritten} remaining. Rewritten objects stay rewritten; a new rewrite skips them.`,
  );
});

// Without the record's counts in the tally (run-rewrite.ts) those that it rewrote before are told as already current.
faultTest("a resumed run that ends proven has rewritten them all, and its progress never runs backwards", async (bench) => {
  const { connection, storedAs } = bench;
  const { definition, id, rewritten, rewrittenAtLeast } = await interrupted(bench);
  await resumeRewrite(connection, definition.name, id, { settleSeconds: 0, signal: soon() });
  const seen = await untilEnded(bench, definition, id);
  const end = seen.at(-1);
  expect(await storedAs(definition)).toEqual({ v1: OBJECTS });
  expect(end).toMatchObject({ phase: "succeeded", counts: { total: OBJECTS, gone: 0, rejected: 0, remaining: 0 } });
  const all = (end?.counts.rewritten ?? 0) + (end?.counts.alreadyCurrent ?? 0);
  expect(all).toBe(OBJECTS);
  if (!rewrittenAtLeast) expect(end?.counts.rewritten).toBe(OBJECTS);
  expectNeverBackwards(seen, rewritten);
});

// Without what a restart keeps (tally.ts) "rewritten" begins again at zero, and those that were rewritten are told as already current.
faultTest("a list that restarts keeps what the run has rewritten, each object once", async (bench) => {
  const { proxy, stale, start, storedAs, run, rewritten } = bench;
  const definition = await stale(OBJECTS);
  const later = ({ path }: { path: string }) => path.includes("continue=");
  const second = proxy.hold((request) => listOf(definition)(request) && later(request), "before", 1);
  const answer = { kind: "answer", status: 410, headers: { "content-type": "application/json" }, body: JSON.stringify(GONE) } as const;
  proxy.inject((request) => listOf(definition)(request) && later(request), answer, 1);
  const { id } = await start(definition, { acceptUnseen: true, maxPerSecond: 60 });
  await rewritten(definition, id, 45);
  const before = await run(definition, id);
  const third = proxy.hold((request) => listOf(definition)(request) && later(request), "before", 1);
  second.release();
  await third.reached;
  third.release();
  const seen = [before, ...(await untilEnded(bench, definition, id))];
  expect(await storedAs(definition)).toEqual({ v1: OBJECTS });
  const counts = { total: OBJECTS, rewritten: OBJECTS, alreadyCurrent: 0, gone: 0, rejected: 0, remaining: 0 };
  expect(seen.at(-1)).toMatchObject({ phase: "succeeded", rewrittenAtLeast: false, counts });
  expectNeverBackwards(seen, 45);
});

// Without the newest resourceVersion that the earlier list left (tally.ts) an object whose write it had counted is counted again.
faultTest(
  "objects that were written while the list restarted count once, also if the answer to their second patch is lost",
  async (bench) => {
    const { proxy, stale, start, endOf, storedAs } = bench;
    const definition = await stale(OBJECTS);
    const patches = proxy.hold(past(5, patchOf(definition)), "before", Number.POSITIVE_INFINITY);
    const sent = new Map<string, number>();
    const isSecond = ({ path }: { path: string }) => {
      sent.set(path, (sent.get(path) ?? 0) + 1);
      return sent.get(path) === 2;
    };
    proxy.inject((request) => patchOf(definition)(request) && isSecond(request), { kind: "reset", when: "after" });
    const later = ({ path }: { path: string }) => path.includes("continue=");
    const answer = { kind: "answer", status: 410, headers: { "content-type": "application/json" }, body: JSON.stringify(GONE) } as const;
    proxy.inject((request) => listOf(definition)(request) && later(request), answer, 1);
    const lists = () => proxy.seen.filter((request) => listOf(definition)(request) && !later(request) && request.status === 200);
    const { id } = await start(definition, { acceptUnseen: true });
    await patches.reached;
    await expect.poll(() => lists().length, { timeout: 30_000 }).toBe(2);
    patches.release();
    const run = await endOf(definition, id);
    expect(Math.max(...sent.values())).toBeGreaterThan(1);
    expect(await storedAs(definition)).toEqual({ v1: OBJECTS });
    const counts = { total: OBJECTS, rewritten: OBJECTS, alreadyCurrent: 0, gone: 0, rejected: 0, remaining: 0 };
    expect(run).toMatchObject({ phase: "succeeded", counts });
  },
);

/** A run of all objects that was interrupted in the middle, and how many it had rewritten by its record. */
async function interrupted({ stale, start, rewritten, run }: FaultBench) {
  const definition = await stale(OBJECTS);
  const { id } = await start(definition, { acceptUnseen: true, maxPerSecond: 60 });
  await rewritten(definition, id, 40);
  await stopRunning({ crd: definition.name, id }, new StopRun("interrupted", "crdshift was shut down."));
  const { phase, counts, rewrittenAtLeast } = await run(definition, id);
  expect(phase).toBe("interrupted");
  return { definition, id, rewritten: counts.rewritten, rewrittenAtLeast };
}

async function untilEnded({ run }: FaultBench, definition: SampleDefinition, id: string): Promise<Run[]> {
  const seen: Run[] = [];
  const phase = async () => {
    const now = await run(definition, id);
    seen.push(now);
    return now.phase;
  };
  await expect.poll(phase, { timeout: 60_000, interval: 5 }).toBe("succeeded");
  return seen;
}

function expectNeverBackwards(seen: readonly Run[], from: number): void {
  let last = { rewritten: from, share: 0 };
  for (const { counts, phase } of seen) {
    const { total, rewritten, remaining } = counts;
    const share = total === null || remaining === null ? 0 : (total - remaining) / total;
    expect({ phase, counts, isForward: rewritten >= last.rewritten && share >= last.share }).toMatchObject({ isForward: true });
    expect(rewritten).toBeLessThanOrEqual(total ?? 0);
    last = { rewritten, share };
  }
}
