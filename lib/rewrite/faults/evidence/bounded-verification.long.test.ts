import { expect } from "vitest";
import { sleep } from "#lib/async/sleep.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { type FaultBench, faultTest, patchOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { afterFlip } from "#lib/rewrite/testing/bench/stale-definition.ts";
import type { TestBench } from "#lib/rewrite/testing/bench/test-bench.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";
import { writeRecord } from "#lib/rewrite/testing/record/write-record.ts";

// Before a prune crdshift verifies a proof that it didn't make, within one request.

const OBJECTS = 30;
const MOST_OBJECTS = 1_000;
const WITHIN_MS = 30_000;
const SOON_MS = 5_000;
/** Less than what answering (outlasting.ts) waits for. */
const ANSWERED_MS = 100;

type Options = Parameters<typeof pruneStoredVersions>[4];
const prune = ({ connection }: TestBench, { name }: SampleDefinition, signal = AbortSignal.timeout(3 * WITHIN_MS), options: Options = {}) =>
  pruneStoredVersions(connection, name, name, signal, options);

/** A definition with a true proof that no crdshift has signed. */
async function claimed(bench: FaultBench, objects = OBJECTS): Promise<SampleDefinition> {
  const definition = await bench.stale(objects);
  expect(await bench.rewrite(definition, { acceptUnseen: true })).toMatchObject({ phase: "succeeded" });
  const { proof, ...record } = await readRecord(definition);
  await writeRecord(bench.api, definition, { ...record, proof: proof && { ...proof, signature: null } });
  return definition;
}

async function expectPrunedAfterRewrite(bench: FaultBench, definition: SampleDefinition): Promise<void> {
  await expect(prune(bench, definition)).rejects.toMatchObject({
    message: "v1beta1 is unproven.",
    nextStep: expect.stringContaining("ewrite"),
  });
  expect(await bench.rewrite(definition, { acceptUnseen: true })).toMatchObject({ phase: "succeeded" });
  await prune(bench, definition);
  expect((await definition.read()).status.storedVersions).toEqual(["v1"]);
}

async function msUntilSettled(promise: Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await promise.catch(() => {});
  return performance.now() - startedAt;
}

// Without the deadline (verify-claim.ts) the request waits for as long as it may; without the lock a second one verifies beside it.
faultTest("a verification that hangs ends after 30 s, and a second one is refused meanwhile", async (bench) => {
  const definition = await claimed(bench);
  const held = bench.proxy.hold(patchOf(definition), "before", Number.POSITIVE_INFINITY);
  const pruning = prune(bench, definition);
  const took = msUntilSettled(pruning);
  await held.reached;
  await expect(prune(bench, definition)).rejects.toMatchObject({
    code: "conflict",
    message: "crdshift is already verifying the proof for another prune.",
  });
  await expect(pruning).rejects.toMatchObject({
    code: "precondition_failed",
    message: expect.stringContaining("couldn't verify all objects within 30 s"),
    nextStep: expect.stringContaining(`Rewrite ${definition.name}, which shows its progress, then prune.`),
  });
  expect(await took).toBeLessThan(WITHIN_MS + SOON_MS);
  expect((await definition.read()).status.storedVersions).toEqual(["v1beta1", "v1"]);
  held.release();
  await expectPrunedAfterRewrite(bench, definition);
});

// Without the timer (verify-claim.ts) a command that may wait for the settle point waits for ever.
faultTest("a verification that can't be told why it takes long ends after 30 s, too", async (bench) => {
  const definition = await claimed(bench);
  const held = bench.proxy.hold(patchOf(definition), "before", Number.POSITIVE_INFINITY);
  const pruning = prune(bench, definition, undefined, { onWait: () => {} });
  const took = msUntilSettled(pruning);
  await expect(pruning).rejects.toMatchObject({ message: expect.stringContaining("couldn't verify all objects within 30 s") });
  expect(await took).toBeLessThan(WITHIN_MS + SOON_MS);
  held.release();
});

// Without the signal (verify-claim.ts) it goes on for someone who has closed the page.
faultTest("a verification ends with the request that it is for", async (bench) => {
  const { proxy } = bench;
  const definition = await claimed(bench);
  const held = proxy.hold(patchOf(definition), "before", Number.POSITIVE_INFINITY);
  const closing = new AbortController();
  const pruning = prune(bench, definition, closing.signal);
  await held.reached;
  const took = msUntilSettled(pruning);
  closing.abort(new Error("The page was closed."));
  // The answers to what has been sent still count.
  await sleep(ANSWERED_MS, soon());
  held.release();
  await expect(pruning).rejects.toThrow("The page was closed.");
  expect(await took).toBeLessThan(SOON_MS);
  const sent = proxy.seen.filter(patchOf(definition)).length;
  expect(sent).toBeLessThan(2 * OBJECTS);
  await sleep(500, soon());
  expect(proxy.seen.filter(patchOf(definition))).toHaveLength(sent);
  expect((await definition.read()).status.storedVersions).toEqual(["v1beta1", "v1"]);
  await prune(bench, definition);
});

// Without noteFind (noting-unanswered.ts) the proof stays, though what was sent may find an object at the old version later.
faultTest("one that ends before its writes are answered withdraws the proof", async (bench) => {
  const definition = await claimed(bench);
  const held = bench.proxy.hold(patchOf(definition), "before", Number.POSITIVE_INFINITY);
  const closing = new AbortController();
  const pruning = prune(bench, definition, closing.signal);
  await held.reached;
  closing.abort(new Error("The page was closed."));
  await expect(pruning).rejects.toThrow("The page was closed.");
  held.release();
  await expectPrunedAfterRewrite(bench, definition);
});

// Without the fleet's events (verify-claim.ts) it verifies all objects at a version that may not be the storage version any more.
faultTest("a verification ends when the definition changes", async (bench) => {
  const definition = await claimed(bench);
  const held = bench.proxy.hold(patchOf(definition), "before", Number.POSITIVE_INFINITY);
  const pruning = prune(bench, definition);
  const took = msUntilSettled(pruning);
  await held.reached;
  await definition.setVersions(afterFlip.map((version) => ({ ...version, deprecated: version.name === "v1beta1" })));
  await expect(pruning).rejects.toMatchObject({
    code: "precondition_failed",
    message: expect.stringMatching(/^The definition changed while crdshift verified its proof\. \d+ objects? (was|were) written after/),
  });
  expect(await took).toBeLessThan(WITHIN_MS - SOON_MS);
  expect((await definition.read()).status.storedVersions).toEqual(["v1beta1", "v1"]);
});

// Without the bound (proof-standing.ts) the request may take as long as a rewrite.
faultTest("a verification of more objects than fit in 30 s is refused at once, and as many as it allows fit", async (bench) => {
  const definition = await claimed(bench, MOST_OBJECTS + 1);
  const sent = bench.proxy.seen.filter(patchOf(definition)).length;
  await expect(prune(bench, definition)).rejects.toMatchObject({
    message: expect.stringContaining("there are 1,001 objects to verify"),
    nextStep: expect.stringContaining(`Rewrite ${definition.name}, which shows its progress, then prune.`),
  });
  expect(bench.proxy.seen.filter(patchOf(definition))).toHaveLength(sent);
  const [name] = (await definition.storedValues(bench.cluster.etcd)).keys();
  await bench.api.delete(definition.path("v1", { name: name ?? "" }));
  await prune(bench, definition);
  expect((await definition.read()).status.storedVersions).toEqual(["v1"]);
});
