import { expect, onTestFinished, vi } from "vitest";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { readHistory } from "#lib/cluster/history/read-history.ts";
import type { Run } from "#lib/contract/rewrite/run.ts";
import { runVerdict } from "#lib/domain/rewrite/run-verdict.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { resumeRewrite } from "#lib/rewrite/commands/resume-rewrite.ts";
import { controlOf, stopRunning } from "#lib/rewrite/run/running.ts";
import { StopRun } from "#lib/rewrite/run/stop-run.ts";
import { type FaultBench, faultTest, listOf, past, patchOf, recordOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { tellRun } from "#lib/rewrite/testing/bench/tell-run.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";
import { untilRecorded } from "./record-action.ts";

const OBJECTS = 5;
const SET_BACK_MS = 60 * 60_000;
const NO = "customresourcedefinitions is forbidden: an operator withdrew the right";

await openTestBench();

const refused = {
  ...{ kind: "answer" as const, status: 403 },
  body: JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", reason: "Forbidden", message: NO, code: 403 }),
};

/** A run of which all objects are rewritten and whose record the cluster refuses from then on. */
async function unrecorded({ proxy, stale, start, run }: FaultBench) {
  const definition = await stale(OBJECTS);
  const patches = proxy.hold(past(2, patchOf(definition)), "before", Number.POSITIVE_INFINITY);
  const { id } = await start(definition, { acceptUnseen: true });
  await patches.reached;
  const fault = proxy.inject(recordOf(definition), refused, Number.POSITIVE_INFINITY);
  patches.release();
  await expect.poll(async () => (await run(definition, id)).phase, { timeout: 20_000 }).toBe("interrupted");
  return { definition, id, fault };
}

async function endsTold({ connection }: FaultBench, { name }: SampleDefinition): Promise<string[]> {
  const { items } = await readHistory(connection, name, soon());
  return items
    .filter(({ kind }) => kind === "interrupted" || kind === "succeeded")
    .map(({ kind, sources }) => `${kind} ${sources.join("+")}`);
}

// Without withUnrecordedEnd (unrecorded-ends.ts) the run shows as verifying for 45 s, then as one whose process stopped responding.
faultTest(
  "the end of a run that the cluster refuses to record is told with its cause, and recorded once it may be",
  async (bench) => {
    const { connection, run, endOf, storedAs } = bench;
    const { definition, id, fault } = await unrecorded(bench);
    const ended: Run = await run(definition, id);
    expect(ended).toMatchObject({ phase: "interrupted", endedAt: expect.any(String), counts: { rewritten: OBJECTS, remaining: 0 } });
    expect(runVerdict(ended, id)).toMatchObject({
      sentence: "Interrupted. Resume continues where it stopped.",
      because: expect.stringContaining("Every object is verified, but crdshift can't record the proof: The cluster denied"),
    });
    expect(ended.statusReason).toContain(NO);
    const { state, run: newest, activeRun, proof } = await readDetail(connection, definition.name, soon());
    expect([state, newest?.phase, activeRun, proof]).toEqual(["needs-rewrite", "interrupted", null, null]);
    await untilRecorded();
    expect(await endsTold(bench, definition)).toEqual(["interrupted annotation+event"]);
    expect(await storedAs(definition)).toEqual({ v1: OBJECTS });
    expect(await readRecord(definition)).toMatchObject({ proof: null, runs: [{ id, endedAt: null }] });

    fault.stop();
    await expect.poll(async () => (await run(definition, id)).phase, { timeout: 20_000 }).toBe("succeeded");
    expect(await endOf(definition, id)).toMatchObject({ phase: "succeeded", counts: { rewritten: OBJECTS } });
    expect(await readRecord(definition)).toMatchObject({ proof: { runId: id }, runs: [{ id, phase: "succeeded" }] });
    await untilRecorded();
    expect(await endsTold(bench, definition)).toEqual(["succeeded annotation+event", "interrupted event"]);
  },
  { timeout: 90_000 },
);

// Without isEndRefused in untilStopped (running.ts) it can't be resumed while crdshift tries to record that.
faultTest(
  "a run whose end can't be recorded is resumed at once, when the right is back",
  async (bench) => {
    const { connection, run, endOf } = bench;
    const { definition, id, fault } = await unrecorded(bench);
    const resume = () => resumeRewrite(connection, definition.name, id, { settleSeconds: 0, signal: soon() });
    await expect(resume()).rejects.toMatchObject({ code: "forbidden" });
    // The run has left this process, which still knows.
    expect(controlOf({ crd: definition.name, id })).toBeNull();
    expect((await run(definition, id)).statusReason).toContain(NO);
    expect((await readDetail(connection, definition.name, soon())).run).toMatchObject({ phase: "interrupted" });
    fault.stop();
    expect(await resume()).toMatchObject({ id, phase: "settling", statusReason: null });
    expect(await endOf(definition, id)).toMatchObject({ phase: "succeeded" });
  },
  { timeout: 90_000 },
);

// Without forgetUnrecordedEnd (begin-run.ts) the resumed run looks older than that end, and is told as interrupted until it is proven.
faultTest(
  "a run whose end can't be recorded is resumed after the clock was set back",
  async (bench) => {
    const { connection, run, endOf, proxy } = bench;
    const { definition, id, fault } = await unrecorded(bench);
    await stopRunning({ crd: definition.name, id }, new StopRun("interrupted", "crdshift was shut down."));
    fault.stop();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - SET_BACK_MS, shouldAdvanceTime: true });
    onTestFinished(() => void vi.useRealTimers());
    const verified = proxy.hold(listOf(definition), "before", Number.POSITIVE_INFINITY);
    const resume = () => resumeRewrite(connection, definition.name, id, { settleSeconds: 0, signal: soon() });
    expect(await resume()).toMatchObject({ id, phase: "settling", endedAt: null, statusReason: null });
    await verified.reached;
    await expect.poll(() => run(definition, id)).toMatchObject({ phase: "rewriting", endedAt: null });
    verified.release();
    expect(await endOf(definition, id)).toMatchObject({ phase: "succeeded" });
  },
  { timeout: 90_000 },
);

// Without the unrecorded end in what this process reads (crd-from-json.ts) the next record says of the run that it still verifies.
faultTest(
  "whatever is recorded next has the end that could not be recorded",
  async (bench) => {
    const { definition, id, fault } = await unrecorded(bench);
    await stopRunning({ crd: definition.name, id }, new StopRun("interrupted", "crdshift was shut down."));
    fault.stop();
    const next = await bench.rewrite(definition, { acceptUnseen: true });
    expect(await readRecord(definition)).toMatchObject({
      runs: [
        { id: next.id, phase: "succeeded" },
        { id, phase: "interrupted", statusReason: expect.stringContaining(NO) },
      ],
    });
  },
  { timeout: 90_000 },
);

// Without retryMs (keep-renewing.ts) the record is sent every three seconds, and objects meanwhile.
faultTest(
  "a record that the API server throttles is sent again when it asked for, and nothing else before",
  async (bench) => {
    const { proxy, stale, start, endOf } = bench;
    const definition = await stale(40);
    const body = JSON.stringify({
      kind: "Status",
      apiVersion: "v1",
      status: "Failure",
      reason: "TooManyRequests",
      message: "Slowly.",
      code: 429,
    });
    const isRenewal = recordOf(definition, "rewriting");
    const run = await start(definition, { acceptUnseen: true, maxPerSecond: 1 });
    const fault = proxy.inject(isRenewal, { kind: "answer", status: 429, headers: { "retry-after": "7" }, body }, 1);
    await expect.poll(() => fault.hits(), { timeout: 60_000 }).toBe(1);
    const throttled = proxy.seen.findLast((request) => request.status === 429);
    const since = () =>
      proxy.seen.filter(({ at, answeredAt, method }) => at > (throttled?.answeredAt ?? 0) && answeredAt !== null && method === "PATCH");
    await expect.poll(() => since().length, { timeout: 60_000 }).toBeGreaterThan(1);
    for (const { at } of since()) expect(at - (throttled?.answeredAt ?? 0)).toBeGreaterThan(6_900);
    await tellRun(bench.connection).change(run, null);
    expect(await endOf(definition, run.id)).toMatchObject({ phase: "succeeded" });
  },
  { timeout: 120_000 },
);
