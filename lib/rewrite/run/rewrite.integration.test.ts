import { describe, expect, onTestFinished, test } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { createDefinition, objectName } from "#lib/local-cluster/sample-definition.ts";
import { cancelRewrite } from "#lib/rewrite/commands/cancel-rewrite.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { startRewrite } from "#lib/rewrite/commands/start-rewrite.ts";
import { faultTest, patchOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { afterFlip, beforeFlip } from "#lib/rewrite/testing/bench/stale-definition.ts";
import { busyWriters } from "#lib/rewrite/testing/etcd/busy-writers.ts";
import { breakableConversion } from "#lib/rewrite/testing/webhooks/breakable-conversion.ts";
import { denyUpdatesOfFrozen } from "#lib/rewrite/testing/webhooks/deny-updates.ts";

const bench = await openTestBench();
const { cluster, api, connection, define, stale, start, endOf, rewrite, storedAs } = bench;
const detailOf = ({ name }: { name: string }) => readDetail(connection, name, soon());
const refusal = (code: string) => expect.objectContaining({ code });

describe("a rewrite", () => {
  test("stores every value in etcd at the storage version, with unchanged spec bytes, generation and uid", async () => {
    const definition = await define(beforeFlip);
    await definition.createObjects("v1beta1", 700, (index) => ({
      size: index,
      ratio: 1.5,
      text: `ünïcode “${index}” \u2028`,
      nested: { list: [null, { deep: true }], empty: {} },
    }));
    const before = await definition.storedValues(cluster.etcd);
    // Begun at once: for a moment the API server still stores at v1beta1.
    await definition.setVersions(afterFlip);
    const { id } = await startRewrite(connection, definition.name, { settleSeconds: 2, signal: soon() });
    const run = await endOf(definition, id);
    const after = await definition.storedValues(cluster.etcd);

    expect(run).toMatchObject({ phase: "succeeded", counts: { total: 700, rewritten: 700, rejected: 0, remaining: 0 } });
    expect(new Set([...before.values()].map((value) => value.apiVersion))).toEqual(new Set([`${definition.group}/v1beta1`]));
    expect(new Set([...after.values()].map((value) => value.apiVersion))).toEqual(new Set([`${definition.group}/v1`]));
    for (const [name, value] of before) {
      expect(after.get(name)).toMatchObject({
        specText: value.specText,
        metadata: { uid: value.metadata.uid, generation: value.metadata.generation },
      });
    }
  });

  test("of a cluster-scoped definition reaches every object, including those being deleted", async () => {
    const definition = await createDefinition(api, beforeFlip, { scope: "Cluster" });
    onTestFinished(() => definition.remove());
    await definition.createObjects("v1beta1", 20);
    const held = definition.path("v1beta1", { name: objectName(3) });
    await api.mergePatch(held, { metadata: { finalizers: ["example.com/hold"] } });
    await api.delete(held);
    onTestFinished(async () => void (await api.mergePatch(held, { metadata: { finalizers: null } })));
    await bench.flip(definition, afterFlip);

    expect(await rewrite(definition)).toMatchObject({ phase: "succeeded", counts: { rewritten: 20 } });
    expect(await storedAs(definition)).toEqual({ v1: 20 });
  });

  test("patches nothing above the settle point when it runs again, and proves it again", async () => {
    const definition = await stale(50);
    const first = await rewrite(definition);
    const before = await definition.storedValues(cluster.etcd);
    const again = await rewrite(definition);
    expect(again).toMatchObject({
      phase: "succeeded",
      settleResourceVersion: first.settleResourceVersion,
      counts: { total: 50, rewritten: 0, alreadyCurrent: 50 },
    });
    expect(await definition.storedValues(cluster.etcd)).toEqual(before);
    const detail = await detailOf(definition);
    expect(detail.proof).toMatchObject({ runId: again.id, objects: 50, invalidBecause: null });
  });

  test("asked to verify every object patches each once more, although all are above the settle point", async () => {
    const definition = await stale(30);
    expect(await rewrite(definition, { verify: "every-object" })).toMatchObject({
      phase: "succeeded",
      counts: { total: 30, rewritten: 30 },
    });
    expect((await detailOf(definition)).proof).toMatchObject({ verify: "every-object", objects: 30 });
    await expect.poll(() => bench.patchesOf(definition)).toBe(60);
  });

  test("loses none of the increments that others write while it runs", async () => {
    const definition = await stale(400);
    const writers = busyWriters(bench, definition, 400);
    expect(await rewrite(definition)).toMatchObject({ phase: "succeeded", statusReason: null });
    await writers.expectNothingLost();
    expect(await storedAs(definition)).toEqual({ v1: 400 });
  });

  test("names the object that a policy denies, rewrites all others, ends blocked, and the prune is refused", async () => {
    const definition = await stale(40, { spec: (index) => ({ size: index, frozen: index === 0 }) });
    await denyUpdatesOfFrozen(api, definition);
    const run = await rewrite(definition);
    expect(run).toMatchObject({ phase: "unproven", counts: { total: 40, rewritten: 39, rejected: 1, remaining: 0 } });
    const examples = [{ namespace: "default", name: objectName(0) }];
    expect(run.rejections).toEqual([expect.objectContaining({ count: 1, examples, message: expect.stringContaining("frozen") })]);
    expect(await storedAs(definition)).toEqual({ v1: 39, v1beta1: 1 });
    await expect(pruneStoredVersions(connection, definition.name, definition.name, soon())).rejects.toEqual(refusal("precondition_failed"));
    expect((await definition.read()).status.storedVersions).toEqual(["v1beta1", "v1"]);
    expect((await detailOf(definition)).state).toBe("blocked");
  });

  test("waits out the settle time after the last change of the spec", async () => {
    const definition = await stale(3);
    const { id } = await startRewrite(connection, definition.name, { settleSeconds: 4, signal: soon() });
    const run = await endOf(definition, id);
    const { crd } = await readCrd(connection, definition.name, soon());
    expect(Date.parse(run.settledAt ?? "") - Date.parse(crd.specChangedAt ?? "")).toBeGreaterThanOrEqual(4_000);
  });

  test("refuses a second run and says which one is in the way", async () => {
    const definition = await stale(5);
    const first = await startRewrite(connection, definition.name, { settleSeconds: 60, signal: soon() });
    const second = startRewrite(connection, definition.name, { settleSeconds: 60, signal: soon() });
    await expect(second).rejects.toMatchObject({ code: "conflict", details: { run: { id: first.id } } });
    await cancelRewrite(connection, definition.name, first.id, soon());
  });

  test("started twice at the same moment starts once", async () => {
    const definition = await stale(5);
    const starts = Array.from({ length: 4 }, () => startRewrite(connection, definition.name, { settleSeconds: 60, signal: soon() }));
    const results = await Promise.allSettled(starts);
    const started = results.filter((result) => result.status === "fulfilled");
    expect(started).toHaveLength(1);
    for (const { value } of started) await cancelRewrite(connection, definition.name, value.id, soon());
  });

  test("cancelled stops within a second and leaves no proof", async () => {
    const definition = await stale(600);
    // Accepted losses spare the dry run, which would take longer than all the rest; the limit keeps it at work for ten seconds.
    const { id } = await start(definition, { acceptUnseen: true, maxPerSecond: 60 });
    await bench.rewritten(definition, id, 50);
    const pressedAt = performance.now();
    const cancelled = await cancelRewrite(connection, definition.name, id, soon());
    expect(performance.now() - pressedAt).toBeLessThan(1_000);
    expect(cancelled.phase).toBe("cancelled");
    expect(await storedAs(definition)).toHaveProperty("v1beta1");
    expect(await detailOf(definition)).toMatchObject({ proof: null, state: "needs-rewrite" });
    await expect(pruneStoredVersions(connection, definition.name, definition.name, soon())).rejects.toEqual(refusal("precondition_failed"));
  });

  test("stops at once when the spec changes during it, and proves nothing", async () => {
    const definition = await stale(600);
    const { id } = await start(definition, { acceptUnseen: true, maxPerSecond: 60 });
    await bench.rewritten(definition, id, 50);
    await definition.setVersions(beforeFlip);
    const end = await endOf(definition, id);
    expect(end.phase).toBe("failed");
    expect(end.counts.rewritten).toBeLessThan(600);
    expect((await detailOf(definition)).proof).toBeNull();
  });

  faultTest("never brings a deleted object back, and counts it as gone", async ({ proxy, ...faulty }) => {
    const definition = await faulty.stale(120);
    const patches = proxy.hold(patchOf(definition), "before", Number.POSITIVE_INFINITY);
    const { id } = await faulty.start(definition);
    await patches.reached;
    // The last of the first page: they are listed, and their turn is yet to come.
    await Promise.all(Array.from({ length: 20 }, (_, index) => api.delete(definition.path("v1", { name: objectName(49 - index) }))));
    patches.release();
    const end = await faulty.endOf(definition, id);
    expect(end).toMatchObject({ phase: "succeeded", counts: { gone: 20, rejected: 0 } });
    expect((await definition.storedValues(cluster.etcd)).size).toBe(100);
  });

  test("waits and shows the cause while the conversion webhook is down, rejects nothing, and continues when it is back", async () => {
    const webhook = await breakableConversion();
    const definition = await stale(150, { conversion: webhook.conversion });
    const { id } = await start(definition, { acceptUnseen: true, maxPerSecond: 12 });
    await bench.rewritten(definition, id, 10);
    webhook.break({ kind: "refuses" });
    const run = () => bench.run(definition, id);
    await expect.poll(async () => (await run()).statusReason ?? "", { timeout: 60_000 }).toContain("conversion webhook for");
    const waiting = await run();
    expect(waiting).toMatchObject({ phase: "rewriting", counts: { rejected: 0 } });
    expect(waiting.counts.remaining).toBeGreaterThan(0);
    await webhook.heal();
    expect(await endOf(definition, id)).toMatchObject({ phase: "succeeded", counts: { total: 150, rewritten: 150, rejected: 0 } });
    expect(await storedAs(definition)).toEqual({ v1: 150 });
  });

  test("is refused while the storage version is not served", async () => {
    const definition = await define(beforeFlip);
    await definition.setVersions([{ name: "v1", storage: true, served: false }, { name: "v1beta1" }]);
    await expect(start(definition)).rejects.toEqual(refusal("precondition_failed"));
    await expect.poll(async () => (await detailOf(definition)).state).toBe("blocked");
  });
});

test("neither a rewrite nor a prune starts while storedVersions names a version that the spec lacks, and each says how to fix it", async () => {
  const definition = await stale(1);
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.name}`;
  await api.mergePatch(path, { status: { storedVersions: ["v9", "v1"] } }, { subresource: "status" });
  const refused = { code: "precondition_failed", nextStep: expect.stringContaining("--subresource=status") };
  await expect(start(definition)).rejects.toMatchObject(refused);
  await expect(pruneStoredVersions(connection, definition.name, definition.name, soon())).rejects.toMatchObject(refused);
  await expect.poll(async () => (await detailOf(definition)).state).toBe("blocked");
  await api.mergePatch(path, { status: { storedVersions: ["v1beta1", "v1"] } }, { subresource: "status" });
});
