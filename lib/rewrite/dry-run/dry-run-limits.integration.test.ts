import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { readHistory } from "#lib/cluster/history/read-history.ts";
import { nextStep } from "#lib/domain/definition/next-step.ts";
import type { DryRun } from "#lib/domain/losses/dry-run.ts";
import { dryRunVerdict } from "#lib/domain/rewrite/dry-run-verdict.ts";
import { putIntoEtcd } from "#lib/local-cluster/etcd.ts";
import { LONGEST_TURN, whileWatched } from "#lib/process-wide/testing/longest-turn.ts";
import { cancelRewrite } from "#lib/rewrite/commands/cancel-rewrite.ts";
import { narrowed, narrower } from "#lib/rewrite/testing/bench/narrowed.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { beforeFlip } from "#lib/rewrite/testing/bench/stale-definition.ts";
import { admissionWebhook, webhookWithSideEffects } from "#lib/rewrite/testing/webhooks/webhook-server.ts";
import { cancelDryRun } from "./dry-runs.ts";
import { startDryRun } from "./start-dry-run.ts";

const bench = await openTestBench();
const { connection, dryRun: finishedDryRun } = bench;

describe("objects that can't be dry-run", () => {
  test("because of a webhook with side effects are neither passed nor rejected, and their losses are unknown", async () => {
    const definition = await narrowed(bench, 12);
    await webhookWithSideEffects(bench, definition);
    const dryRun = await finishedDryRun(definition);
    expect(dryRun).toMatchObject({
      ...{ phase: "succeeded", losses: [], lossesKnown: false },
      dryRun: { total: 12, checked: 12, wouldPass: 0, wouldBeRejected: 0, cannotDryRun: 12, rejections: [] },
    });
    expect(dryRun.dryRun.cannot).toEqual([
      expect.objectContaining({ count: 12, message: expect.stringContaining("does not support dry run") }),
    ]);
    expect(dryRun.lossesUnknownBecause).toMatch(/^The losses of 12 objects .* does not support dry run/);
    expect(dryRun.checks.find(({ name }) => name === "webhooks")).toMatchObject({
      ...{
        status: "warn",
        message: expect.stringMatching(/updates\.g\w+\.example\.com \(failurePolicy Fail, sideEffects Some\).*can't be tried/),
      },
    });
  });
});

describe("a dry run of more objects than asked for", () => {
  test("tries a random sample of that size and reports the total", async () => {
    const spec = (index: number) => ({ [`only${index}`]: true });
    const definition = await bench.stale(60, { spec, versions: { before: beforeFlip, after: narrower } });
    const tried = new Set<string>();
    for (let round = 0; round < 3; round++) {
      const { dryRun: counts, losses, sampleSize } = await finishedDryRun(definition, { sampleSize: 20 });
      expect([sampleSize, counts]).toMatchObject([20, { total: 60, planned: 20, checked: 20, wouldPass: 20 }]);
      expect(losses).toHaveLength(20);
      for (const { path } of losses) tried.add(path);
    }
    // Three times the same twenty of sixty: less likely than one in 10^30.
    expect(tried.size).toBeGreaterThan(20);
    const whole = await finishedDryRun(definition, { sampleSize: 60 });
    expect(whole.dryRun).toMatchObject({ planned: 60, checked: 60 });
    expect(whole.losses).toHaveLength(60);
  });
});

// Without sampleOf (accept-losses.ts) whoever accepts the loss of all 40 values signs that it is in 5 objects, and so does the proof.
test("losses in a sample are told, accepted and proven as the least there are", async () => {
  const definition = await bench.stale(40, { spec: () => ({ only: "here" }), versions: { before: beforeFlip, after: narrower } });
  const sample = { checked: 5, total: 40 };
  const least = "spec.only would be dropped in at least 5 objects (5 of 40 checked).";
  expect(dryRunVerdict(await finishedDryRun(definition, { sampleSize: 5 }))).toEqual({ kind: "doubtful", sentences: [least] });
  await expect(bench.start(definition)).rejects.toMatchObject({ message: `The rewrite is held back: ${least}`, details: { sample } });
  const acceptedLosses = { losses: [{ path: "spec.only", objects: 5 }], sample };
  expect(await bench.rewrite(definition, { acceptLosses: true })).toMatchObject({
    phase: "succeeded",
    counts: { rewritten: 40 },
    acceptedLosses,
  });
  expect(await readDetail(connection, definition.name, soon())).toMatchObject({ proof: { standing: "valid", acceptedLosses } });
});

// Without untriedWords (sample-of.ts) a rewrite would have nothing to patch, and nothing would be lost.
test("a sample that misses every object stored at the old version tells nothing of them", async () => {
  const definition = await bench.stale(30);
  const { id } = await bench.start(definition, { acceptUnseen: true, maxPerSecond: 10 });
  await bench.rewritten(definition, id, 20);
  await cancelRewrite(connection, definition.name, id, soon());
  const { v1beta1: left = 0 } = await bench.storedAs(definition);
  expect(left).toBeGreaterThan(0);
  let missed: DryRun;
  do missed = await finishedDryRun(definition, { sampleSize: 1 });
  while (missed.dryRun.checked > 0);
  const untried =
    left === 1 ? /the 1 object .* wasn't tried/ : new RegExp(`none of the ${left} objects that a rewrite would patch was tried`);
  expect(dryRunVerdict(missed)).toEqual({ kind: "doubtful", sentences: [expect.stringMatching(untried)] });
  const { items } = await readHistory(connection, definition.name, soon());
  const told = items.find(({ kind }) => kind === "dry-run")?.message;
  expect(told).toMatch(untried);
  expect(told).toMatch(/what would be lost is unknown\.$/);
  expect(nextStep(await readDetail(connection, definition.name, soon()))).toEqual({ step: "rewrite", verifyEveryObject: false });
});

describe("a cancelled dry run", () => {
  test("ends within a second while a webhook hangs, sends nothing more, and claims no losses", async () => {
    const definition = await narrowed(bench, 40);
    const webhook = await admissionWebhook(bench, definition);
    webhook.hold();
    const before = webhook.calls();
    const { id } = await startDryRun(connection, definition.name, { signal: soon() });
    await expect.poll(webhook.calls, { timeout: 20_000 }).toBeGreaterThan(before);
    const pressedAt = performance.now();
    const cancelled = await cancelDryRun(connection.audience, definition.name, id);
    expect(performance.now() - pressedAt).toBeLessThan(1_000);
    expect(cancelled).toMatchObject({ phase: "cancelled", lossesKnown: false, dryRun: { checked: 0 } });
    webhook.release();
    // What was under way may still arrive; the rest of the 40 don't.
    const last = () => webhook.calls();
    const isSilent = async () => last() === (await new Promise((resolve) => setTimeout(resolve, 700)).then(last));
    await expect.poll(isSilent).toBe(true);
    expect(last() - before).toBeLessThan(40);
    await expect(cancelDryRun(connection.audience, definition.name, id)).rejects.toMatchObject({ code: "conflict" });
    const { crd } = await readCrd(connection, definition.name, soon());
    expect(crd.record).toBeNull();
  });
});

// With all steps for an object in one turn (compared in compare-object.ts) this took twice as long.
test("objects with 100,000 keys, all of which would be dropped, hold nobody up", async () => {
  const definition = await bench.define(beforeFlip);
  await definition.createObjects("v1beta1", 1);
  const keys = Array.from({ length: 100_000 }, (_, index) => `"k${index}":0`).join(",");
  for (const name of ["first", "second"]) {
    const metadata = `{"name":"${name}","namespace":"default","uid":"${randomUUID()}"}`;
    const stored = `{"apiVersion":"${definition.group}/v1beta1","kind":"Widget","metadata":${metadata},"spec":{${keys}}}\n`;
    await putIntoEtcd(bench.cluster.etcd, `/registry/${definition.group}/widgets/default/${name}`, stored);
  }
  await bench.flip(definition, narrower);
  const { longest, result } = await whileWatched(() => bench.dryRun(definition));
  expect(result).toMatchObject({ phase: "succeeded", dryRun: { checked: 3, wouldPass: 3 }, moreLosses: 10_000 });
  expect(longest).toBeLessThan(LONGEST_TURN);
});
