import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import { faultTest, recordOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { tellRun } from "#lib/rewrite/testing/bench/tell-run.ts";
import { admissionWebhook } from "#lib/rewrite/testing/webhooks/webhook-server.ts";
import packageJson from "#package.json" with { type: "json" };
import { startRewrite } from "./start-rewrite.ts";

const bench = await openTestBench();
const { cluster, connection, define, flip, stale, start, endOf, patchesOf, storedAs } = bench;

const { pause, resume, change, cancel } = tellRun(connection);
const rest = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe("a run at work", () => {
  test("applies a new rate from the next object on, and drops it as quickly", async () => {
    const definition = await stale(600);
    await bench.dryRun(definition);
    const run = await start(definition, { maxPerSecond: 100 });
    await bench.rewritten(definition, run.id, 20);
    expect(await change(run, 20)).toMatchObject({ maxPerSecond: 20 });
    // What was under way when it was told may still end.
    await rest(1_000);
    const [startedAt, before] = [performance.now(), await patchesOf(definition)];
    await rest(2_000);
    const patched = (await patchesOf(definition)) - before;
    const seconds = (performance.now() - startedAt) / 1_000;
    expect(patched).toBeGreaterThan(0);
    expect(patched).toBeLessThanOrEqual(20 * seconds + 3);

    const [left, freedAt] = [(await bench.run(definition, run.id)).counts.remaining ?? 0, performance.now()];
    await change(run, null);
    expect(await endOf(definition, run.id)).toMatchObject({ phase: "succeeded", maxPerSecond: null, counts: { rewritten: 600 } });
    // At 20 a second, what was left would have taken longer.
    expect((performance.now() - freedAt) / 1_000).toBeLessThan(left / 20);
  });

  test.each(["a hanging webhook holds its requests", "it is paused"])("is cancelled within a second while %s", async (when) => {
    const definition = await stale(300);
    const webhook = await admissionWebhook(bench, definition);
    await bench.dryRun(definition);
    if (when === "it is paused") {
      const run = await start(definition, { maxPerSecond: 50 });
      await bench.rewritten(definition, run.id, 5);
      await pause(run);
      await expectCancelledAtOnce(run);
    } else {
      webhook.hold();
      const before = webhook.calls();
      const run = await start(definition);
      await expect.poll(webhook.calls, { timeout: 20_000 }).toBeGreaterThan(before);
      await expectCancelledAtOnce(run);
      webhook.release();
    }
    // What the API server had received may still be stored; nothing follows.
    let stored = await storedAs(definition);
    const isStill = async () => {
      const before = stored;
      await rest(1_000);
      stored = await storedAs(definition);
      return isDeepStrictEqual(before, stored);
    };
    await expect.poll(isStill).toBe(true);
    expect(stored).toHaveProperty("v1beta1");
  });

  test("takes no commands once it has ended", async () => {
    const definition = await stale(5);
    const run = await bench.rewrite(definition);
    for (const tell of [() => pause(run), () => resume(run), () => change(run, 5), () => cancel(run)]) {
      await expect(tell()).rejects.toMatchObject({ code: "conflict", details: { run: { id: run.id, phase: "succeeded" } } });
    }
  });
});

// Told to the pacer of a run whose end is written but not yet answered, each of these was taken for done.
faultTest("a run that is about to end takes no more commands", async ({ connection, proxy, stale, start, endOf }) => {
  const definition = await stale(5);
  const held = proxy.hold(recordOf(definition, '\\"phase\\":\\"succeeded\\"'), "after");
  const run = await start(definition, { acceptUnseen: true });
  await held.reached;
  const { pause, resume, change } = tellRun(connection);
  for (const tell of [() => pause(run), () => resume(run), () => change(run, 5)]) {
    await expect(tell()).rejects.toMatchObject({ code: "conflict", details: { run: { id: run.id } } });
  }
  held.release();
  expect(await endOf(definition, run.id)).toMatchObject({ phase: "succeeded", command: null, maxPerSecond: null });
});

async function expectCancelledAtOnce(run: Run): Promise<void> {
  const pressedAt = performance.now();
  expect(await cancel(run)).toMatchObject({ phase: "cancelled", command: null });
  expect(performance.now() - pressedAt).toBeLessThan(1_000);
}

describe("who it says it is", () => {
  test("every request about objects names the run, and a stored default does not become crdshift's", async () => {
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
    for (const { text, metadata } of (await definition.storedValues(cluster.etcd)).values()) {
      expect(text).toContain('"mode":"fast"');
      expect(metadata.managedFields?.map(({ manager }) => manager)).not.toContain("crdshift");
    }
  });
});
