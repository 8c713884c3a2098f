import { expect } from "vitest";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { cancelRewrite } from "#lib/rewrite/commands/cancel-rewrite.ts";
import { resumeRewrite } from "#lib/rewrite/commands/resume-rewrite.ts";
import { stopAllRuns } from "#lib/rewrite/run/running.ts";
import { type FaultBench, faultTest, past, patchOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";

const OBJECTS = 20;
/** Objects that are done when the patches of the others begin to be held. */
const DONE = 5;
const KIB = 1024;
const NOTES = "example.com/notes";
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
/** Fits the record with which a run begins, and not the one with its proof. */
const ENOUGH_TO_BEGIN = 2_050;

function annotate({ api }: FaultBench, { name }: SampleDefinition, notes: string | null) {
  return api.mergePatch(`${DEFINITIONS}/${name}`, { metadata: { annotations: { [NOTES]: notes } } });
}

/** Lengthens a description, so that etcd takes this many bytes more and no others. */
async function fillUpTo({ api }: FaultBench, definition: SampleDefinition, left: number): Promise<void> {
  const { spec } = (await definition.read()) as unknown as { spec: { versions: { schema: { openAPIV3Schema: object } }[] } };
  const describe = (length: number) => {
    const versions = structuredClone(spec.versions);
    Object.assign(versions[0]?.schema.openAPIV3Schema ?? {}, { description: "x".repeat(length) });
    return api.mergePatch(`${DEFINITIONS}/${definition.name}`, { spec: { versions } });
  };
  let [taken, refused] = [1_400 * KIB, 1_536 * KIB];
  while (refused - taken > 50) {
    const length = Math.floor((taken + refused) / 2);
    const isTaken = await describe(length).then(
      () => true,
      () => false,
    );
    if (isTaken) taken = length;
    else refused = length;
  }
  await describe(taken - left);
}

const noRoom = {
  code: "precondition_failed",
  message: expect.stringContaining("leaves no room in etcd for a rewrite's record"),
  nextStep: expect.stringContaining("--max-request-bytes"),
  clusterMessage: "etcdserver: request is too large",
};

// With a short record to begin with (begin-run.ts) the run begins, and can never record its proof.
faultTest(
  "a definition that etcd takes only without the longest record: a run isn't begun or resumed, and says what to do",
  async (bench) => {
    const { connection, stale, start, run, rewritten, rewrite } = bench;
    const definition = await stale(OBJECTS);
    await fillUpTo(bench, definition, ENOUGH_TO_BEGIN);
    await expect(start(definition, { acceptUnseen: true })).rejects.toMatchObject(noRoom);
    expect((await definition.read()).metadata.annotations).toBeUndefined();

    await fillUpTo(bench, definition, 40 * KIB);
    const { id } = await start(definition, { acceptUnseen: true, maxPerSecond: 5 });
    await rewritten(definition, id, 1);
    await stopAllRuns();
    await annotate(bench, definition, "x".repeat(36 * KIB));
    const resume = () => resumeRewrite(connection, definition.name, id, { settleSeconds: 0, acceptUnseen: true, signal: soon() });
    await expect(resume()).rejects.toMatchObject(noRoom);
    expect(await run(definition, id)).toMatchObject({ phase: "interrupted" });
    await annotate(bench, definition, null);
    await cancelRewrite(connection, definition.name, id, soon());
    expect(await rewrite(definition, { acceptUnseen: true })).toMatchObject({ phase: "succeeded" });
    expect(JSON.stringify(await definition.read())).not.toContain("\\n\\n");
  },
  { timeout: 240_000 },
);

// Without isTooLargeForEtcd in update-record.ts it shows the bare answer of the API server.
faultTest(
  "a definition that grows too large for etcd mid-run: the run shows why it can't be recorded, and ends proven once there is room",
  async (bench) => {
    const { stale, start, run, endOf, proxy, storedAs } = bench;
    const definition = await stale(OBJECTS);
    await fillUpTo(bench, definition, 40 * KIB);
    const patches = proxy.hold(past(DONE, patchOf(definition)), "before", Number.POSITIVE_INFINITY);
    const { id } = await start(definition, { acceptUnseen: true });
    await patches.reached;
    // Beside a record that has yet to get longer.
    await annotate(bench, definition, "x".repeat(40 * KIB - ENOUGH_TO_BEGIN));
    patches.release();
    const because = async () => (await run(definition, id)).statusReason ?? "";
    await expect.poll(because, { timeout: 60_000 }).toMatch(/leaves no room in etcd.*--max-request-bytes.*largest annotation is \S+notes/);
    await expect.poll(() => storedAs(definition)).toEqual({ v1: OBJECTS });
    expect(await readRecord(definition)).toMatchObject({ proof: null, runs: [{ id, endedAt: null }] });
    await annotate(bench, definition, null);
    expect(await endOf(definition, id)).toMatchObject({ phase: "succeeded", counts: { rewritten: OBJECTS, rejected: 0 } });
  },
  { timeout: 240_000 },
);
