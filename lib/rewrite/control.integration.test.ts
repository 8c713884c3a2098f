import { describe, expect, test } from "vitest";
import type { Connection } from "#lib/cluster/connection.ts";
import type { Run } from "#lib/domain/rewrite.ts";
import type { SampleDefinition, SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import packageJson from "#package.json" with { type: "json" };
import { cancelRewrite } from "./cancel-rewrite.ts";
import { changeRewrite } from "./change-rewrite.ts";
import { pauseRewrite } from "./pause-rewrite.ts";
import { resumeRewrite } from "./resume-rewrite.ts";
import { startRewrite } from "./start-rewrite.ts";
import { faultTest, recordOf } from "./testing/fault-test.ts";
import { soon, testCluster } from "./testing/test-cluster.ts";
import { admissionWebhook } from "./testing/webhook-server.ts";

const bench = await testCluster();
const { cluster, connection, define, flip, start, endOf, patchesOf, storedAs } = bench;

const oldStored: SampleVersion[] = [{ name: "v1" }, { name: "v1beta1", storage: true }];
const newStored: SampleVersion[] = [{ name: "v1", storage: true }, { name: "v1beta1" }];

async function stale(count: number): Promise<SampleDefinition> {
  const definition = await define(oldStored);
  await definition.createObjects("v1beta1", count);
  await flip(definition, newStored);
  return definition;
}

const rest = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const pause = (definition: SampleDefinition, { id }: Run) => pauseRewrite(connection, definition.name, id, soon());
const resume = (definition: SampleDefinition, { id }: Run) =>
  resumeRewrite(connection, definition.name, id, { settleSeconds: 0, signal: soon() });
const change = (definition: SampleDefinition, { id }: Run, maxPerSecond: number | null) =>
  changeRewrite(connection, definition.name, id, { maxPerSecond, signal: soon() });
const cancel = (definition: SampleDefinition, { id }: Run) => cancelRewrite(connection, definition.name, id, soon());

/** Returns once the run has rewritten so many objects. */
async function rewritten(definition: SampleDefinition, { id }: Run, objects: number): Promise<void> {
  const count = async () => (await bench.run(definition, id)).counts.rewritten;
  await expect.poll(count, { timeout: 30_000, interval: 20 }).toBeGreaterThanOrEqual(objects);
}

describe("a run at work", () => {
  test("paused sends no patch until it is resumed, and ends as if it had never stopped", async () => {
    const definition = await stale(250);
    await bench.dryRun(definition);
    const run = await start(definition, { maxPerSecond: 100 });
    await rewritten(definition, run, 20);
    await pause(definition, run);
    await expect.poll(async () => (await bench.run(definition, run.id)).phase).toBe("paused");
    const [patches, stored] = [await patchesOf(definition), await storedAs(definition)];
    await rest(2_500);
    expect([await patchesOf(definition), await storedAs(definition)]).toEqual([patches, stored]);
    const paused = await bench.run(definition, run.id);
    expect(paused).toMatchObject({ phase: "paused", command: null, ratePerSecond: null, etaSeconds: null });
    expect(paused.counts.remaining).toBeGreaterThan(0);

    const resumed = await resume(definition, run);
    expect(resumed).toMatchObject({ phase: "rewriting", command: null });
    const end = await endOf(definition, run.id);
    expect(end).toMatchObject({ phase: "succeeded", counts: { total: 250, rewritten: 250, rejected: 0 } });
    expect(end.rates.perSecond).toContain(0);
    expect(await storedAs(definition)).toEqual({ v1: 250 });
  });

  test("shows a pause as pressed while requests are under way, and the pause can be taken back", async () => {
    const definition = await stale(60);
    const webhook = await admissionWebhook(bench, definition);
    await bench.dryRun(definition);
    webhook.hold();
    const run = await start(definition);
    const before = webhook.calls();
    await expect.poll(webhook.calls, { timeout: 20_000 }).toBeGreaterThan(before);
    expect(await pause(definition, run)).toMatchObject({ phase: "rewriting", command: "pause" });
    await rest(700);
    expect(await bench.run(definition, run.id)).toMatchObject({ phase: "rewriting", command: "pause" });
    expect(await resume(definition, run)).toMatchObject({ phase: "rewriting", command: null });

    expect(await pause(definition, run)).toMatchObject({ command: "pause" });
    webhook.release();
    await expect.poll(async () => (await bench.run(definition, run.id)).phase).toBe("paused");
    expect(await bench.run(definition, run.id)).toMatchObject({ command: null });
    await resume(definition, run);
    expect(await endOf(definition, run.id)).toMatchObject({ phase: "succeeded", counts: { rewritten: 60 } });
  });

  test("told a rate keeps it from the next object on, and forgets it as soon", async () => {
    const definition = await stale(600);
    await bench.dryRun(definition);
    const run = await start(definition, { maxPerSecond: 100 });
    await rewritten(definition, run, 20);
    expect(await change(definition, run, 20)).toMatchObject({ maxPerSecond: 20 });
    // What was under way when it was told may still end.
    await rest(300);
    const [startedAt, before] = [performance.now(), await patchesOf(definition)];
    await rest(2_000);
    const patched = (await patchesOf(definition)) - before;
    const seconds = (performance.now() - startedAt) / 1_000;
    expect(patched).toBeGreaterThan(0);
    expect(patched).toBeLessThanOrEqual(20 * seconds + 3);

    const [left, freedAt] = [(await bench.run(definition, run.id)).counts.remaining ?? 0, performance.now()];
    await change(definition, run, null);
    expect(await endOf(definition, run.id)).toMatchObject({ phase: "succeeded", maxPerSecond: null, counts: { rewritten: 600 } });
    expect((performance.now() - freedAt) / 1_000).toBeLessThan(left / 20 / 2);
  });

  test.each(["a hanging webhook holds its requests", "it is paused"])("is cancelled within a second while %s", async (when) => {
    const definition = await stale(300);
    const webhook = await admissionWebhook(bench, definition);
    await bench.dryRun(definition);
    if (when === "it is paused") {
      const run = await start(definition, { maxPerSecond: 50 });
      await rewritten(definition, run, 5);
      await pause(definition, run);
      await expectCancelledAtOnce(definition, run);
    } else {
      webhook.hold();
      const run = await start(definition);
      const before = webhook.calls();
      await expect.poll(webhook.calls, { timeout: 20_000 }).toBeGreaterThan(before);
      await expectCancelledAtOnce(definition, run);
      webhook.release();
    }
    // What the API server had received may still be stored; nothing follows.
    await rest(500);
    const stored = await storedAs(definition);
    await rest(1_000);
    expect(await storedAs(definition)).toEqual(stored);
    expect(stored).toHaveProperty("v1beta1");
  });

  test("that has ended can't be told anything any more", async () => {
    const definition = await stale(5);
    const run = await bench.rewrite(definition);
    for (const tell of [
      () => pause(definition, run),
      () => resume(definition, run),
      () => change(definition, run, 5),
      () => cancel(definition, run),
    ]) {
      await expect(tell()).rejects.toMatchObject({ code: "conflict", details: { run: { id: run.id, phase: "succeeded" } } });
    }
  });
});

// Told to the pacer of a run whose end is written but not yet answered, each of these was taken for done.
faultTest("a run that is about to end can't be told anything any more", async ({ connection, proxy, stale, start, endOf }) => {
  const definition = await stale(5);
  const held = proxy.hold(recordOf(definition, '\\"phase\\":\\"succeeded\\"'), "after");
  const { id } = await start(definition, { acceptLosses: true });
  await held.reached;
  const [name, signal] = [definition.name, soon()];
  for (const tell of [
    () => pauseRewrite(connection, name, id, signal),
    () => resumeRewrite(connection, name, id, { settleSeconds: 0, signal }),
    () => changeRewrite(connection, name, id, { maxPerSecond: 5, signal }),
  ]) {
    await expect(tell()).rejects.toMatchObject({ code: "conflict", details: { run: { id } } });
  }
  held.release();
  expect(await endOf(definition, id)).toMatchObject({ phase: "succeeded", command: null, maxPerSecond: null });
});

async function expectCancelledAtOnce(definition: SampleDefinition, run: Run): Promise<void> {
  const pressedAt = performance.now();
  expect(await cancel(definition, run)).toMatchObject({ phase: "cancelled", command: null });
  expect(performance.now() - pressedAt).toBeLessThan(1_000);
}

describe("who it says it is", () => {
  test("every request about objects names the run, and the API server notes crdshift where a default was stored", async () => {
    const properties = { size: { type: "integer" }, mode: { type: "string" } };
    const definition = await define([
      { name: "v1", properties },
      { name: "v1beta1", storage: true, properties },
    ]);
    await definition.createObjects("v1beta1", 5);
    const defaulted = { ...properties, mode: { type: "string", default: "fast" } };
    await flip(definition, [
      { name: "v1", storage: true, properties: defaulted },
      { name: "v1beta1", properties },
    ]);

    const seen: { agent: string; method: string; path: string }[] = [];
    const dispatcher = connection.dispatcher.compose((dispatch) => (options, handler) => {
      const agent = String((options.headers as Record<string, string>)["user-agent"]);
      if (options.path.includes("/widgets")) seen.push({ agent, method: options.method, path: options.path });
      return dispatch(options, handler);
    });
    const recorded: Connection = { ...connection, dispatcher };
    const { id } = await startRewrite(recorded, definition.name, { settleSeconds: 0, signal: soon() });
    expect(await endOf(definition, id)).toMatchObject({ phase: "succeeded", counts: { rewritten: 5 } });

    const named = `crdshift/${packageJson.version} (run=${id})`;
    const ofObjects = seen.filter(({ path }) => path.includes("/widgets/widget-"));
    expect(ofObjects.length).toBeGreaterThanOrEqual(5);
    expect(new Set(ofObjects.map(({ agent }) => agent))).toEqual(new Set([named]));
    const patches = ofObjects.filter(({ method }) => method === "PATCH");
    expect(patches.filter(({ path }) => !new URL(path, cluster.server).searchParams.has("fieldManager", "crdshift"))).toEqual([]);
    for (const { metadata } of (await definition.storedValues(cluster.etcd)).values()) {
      expect(metadata.managedFields).toContainEqual(
        expect.objectContaining({ manager: "crdshift", operation: "Update", fieldsV1: { "f:spec": { "f:mode": {} } } }),
      );
    }
  });
});
