import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { requestLines } from "#lib/cluster/transport/request.ts";
import type { DryRun } from "#lib/domain/losses/dry-run.ts";
import type { LossKind } from "#lib/domain/losses/losses.ts";
import { startConversionWebhook } from "#lib/local-cluster/demo/conversion-webhook.ts";
import { objectName, type SampleDefinition, type SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { etcdDifferences } from "#lib/rewrite/testing/etcd-differences.ts";
import { beforeFlip } from "#lib/rewrite/testing/stale-definition.ts";
import { soon, testCluster } from "#lib/rewrite/testing/test-cluster.ts";
import { admissionWebhook, webhookWithSideEffects } from "#lib/rewrite/testing/webhook-server.ts";
import { cancelDryRun } from "./dry-runs.ts";
import { startDryRun } from "./start-dry-run.ts";

const bench = await testCluster();
const { cluster, api, connection, define, flip, dryRun: finishedDryRun, rewrite } = bench;

// Node's own, not yet in TypeScript's library: a number that JavaScript itself could not write.
const rawJson = (JSON as JSON & { rawJSON(text: string): object }).rawJSON;

const string = { type: "string" };
const integer = { type: "integer" };
const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

/** The paths of one kind of loss, with the number of objects. */
const lossesOf = ({ losses }: DryRun, kind: LossKind) =>
  Object.fromEntries(losses.filter((loss) => loss.kind === kind).map(({ path, objects }) => [path, objects]));

/** v1 lacks some of the fields in every third object. */
const narrower: SampleVersion[] = [
  {
    name: "v1",
    storage: true,
    properties: {
      size: integer,
      nested: { type: "object", properties: { kept: string } },
      containers: { type: "array", items: { type: "object", properties: { image: string } } },
      labels: { type: "object", properties: { plain: string } },
      free: anything,
    },
  },
  { name: "v1beta1" },
];

const wide = (index: number) => ({
  size: index,
  nested: { kept: "yes", ...(index % 3 === 0 && { deep: { er: [1, { lost: true }] } }) },
  containers: [
    { image: "a", ...(index % 3 === 0 && { tag: "1" }) },
    { image: "b", ...(index % 6 === 0 && { tag: "2", "pull.policy": "Always" }) },
  ],
  labels: { plain: "x", ...(index % 3 === 0 && { "example.com/team": "a" }), ...(index % 5 === 0 && { "a.b": "dotted" }) },
  free: { big: rawJson("9007199254740993"), one: rawJson("1.0"), huge: rawJson("1e300"), unknown: [{ deep: null }] },
});

function narrowed(count = 30): Promise<SampleDefinition> {
  return bench.stale(count, { spec: wide, versions: { before: beforeFlip, after: narrower } });
}

describe("a dry run when v1 lacks some fields", () => {
  test("reports each path with the number of objects that etcd shows before and after an accepted rewrite", async () => {
    const definition = await narrowed();
    const dryRun = await finishedDryRun(definition);
    expect(dryRun).toMatchObject({
      ...{ phase: "succeeded", lossesKnown: true, lossesUnknownBecause: null, moreLosses: 0 },
      dryRun: { total: 30, planned: 30, checked: 30, wouldPass: 30, wouldBeRejected: 0, cannotDryRun: 0, gone: 0, generationRises: 0 },
    });

    const before = await definition.storedValues(cluster.etcd);
    expect(await rewrite(definition, { acceptLosses: true })).toMatchObject({ phase: "succeeded", counts: { rewritten: 30 } });
    const after = await definition.storedValues(cluster.etcd);
    const { dropped, added, unowned } = etcdDifferences(before, after);
    expect(dropped).toEqual({
      "spec.nested.deep": 10,
      "spec.containers[*].tag": 10,
      'spec.containers[*]["pull.policy"]': 5,
      'spec.labels["example.com/team"]': 10,
      'spec.labels["a.b"]': 6,
    });
    expect(lossesOf(dryRun, "dropped")).toEqual(dropped);
    expect([added, unowned]).toEqual([{}, {}]);
    expect(dryRun.losses.filter(({ kind }) => kind !== "dropped")).toEqual([]);
    // Numbers that JavaScript would round, and fields that no schema names, are as they were.
    const freeOf = (specText = "") => /"free":(\{.*?\}\]\})/.exec(specText)?.[1];
    for (const [name, { specText }] of after) {
      expect(freeOf(specText)).toContain('"big":9007199254740993');
      expect(freeOf(specText)).toBe(freeOf(before.get(name)?.specText));
    }
  });

  test("names objects that lose a path as examples", async () => {
    const definition = await narrowed();
    const { losses } = await finishedDryRun(definition);
    const team = losses.find(({ path }) => path.includes("team"));
    expect(team?.examples).toHaveLength(5);
    for (const { namespace, name } of team?.examples ?? []) {
      expect(namespace).toBe("default");
      expect(Number(name.slice("widget-".length)) % 3).toBe(0);
    }
  });

  test("stores nothing and sends no watch event", async () => {
    const definition = await narrowed();
    const before = await definition.storedValues(cluster.etcd);
    const list = await api.list(`${definition.path("v1")}?limit=1`);
    const events: string[] = [];
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const opened = Promise.withResolvers<void>();
    const watching = (async () => {
      const path = `${definition.path("v1")}?watch=1&resourceVersion=${list.metadata.resourceVersion}`;
      for await (const line of requestLines(connection, { path, signal: stop.signal, onOpen: opened.resolve })) {
        const { type, object } = JSON.parse(line);
        events.push(`${type} ${object.metadata.name}`);
      }
    })().catch((error: unknown) => {
      if (!stop.signal.aborted) throw error;
    });
    await opened.promise;

    expect(await finishedDryRun(definition)).toMatchObject({ phase: "succeeded", dryRun: { checked: 30 } });
    expect(await definition.storedValues(cluster.etcd)).toEqual(before);
    // The watch is alive: the next real write is its first event.
    await api.mergePatch(definition.path("v1", { name: objectName(4) }), { metadata: { labels: { written: "yes" } } });
    await expect.poll(() => events, { timeout: 10_000 }).toEqual([`MODIFIED ${objectName(4)}`]);
    stop.abort();
    await watching;
  });

  test("does not know the losses while the old version is not served, and says what to do", async () => {
    const definition = await define(beforeFlip);
    await definition.createObjects("v1beta1", 6, wide);
    await flip(definition, [narrower[0] as SampleVersion, { name: "v1beta1", served: false }]);
    const unserved = await finishedDryRun(definition);
    expect(unserved).toMatchObject({ phase: "succeeded", lossesKnown: false, dryRun: { checked: 6, wouldPass: 6 } });
    expect(unserved.lossesUnknownBecause).toMatch(/v1beta1 is not served.*serve v1beta1 again/);

    await flip(definition, narrower);
    expect(await finishedDryRun(definition)).toMatchObject({ lossesKnown: true, losses: expect.arrayContaining([expect.anything()]) });
  });
});

describe("a field that v1 calls by another name", () => {
  const versions = (storage: string): SampleVersion[] => [
    { name: "v1", storage: storage === "v1", properties: { replicas: integer, host: string, port: string } },
    { name: "v1beta1", storage: storage === "v1beta1", properties: { replicas: integer, hostPort: string } },
  ];

  test("is lost without conversion, but not with a webhook that renames it", async () => {
    const directory = await mkdtemp(join(tmpdir(), "crdshift-webhook-"));
    onTestFinished(() => rm(directory, { recursive: true }));
    const webhook = await startConversionWebhook(directory);
    onTestFinished(() => webhook.close());
    const definition = await define(versions("v1beta1"));
    await definition.createObjects("v1beta1", 12, (index) => ({ replicas: index, hostPort: `host-${index}:80` }));
    await flip(definition, versions("v1"));
    expect(lossesOf(await finishedDryRun(definition), "dropped")).toEqual({ "spec.hostPort": 12 });

    await flip(definition, versions("v1"), webhook.conversion);
    const dryRun = await finishedDryRun(definition);
    expect(dryRun).toMatchObject({ phase: "succeeded", losses: [], lossesKnown: true, dryRun: { wouldPass: 12, generationRises: 0 } });
    expect(await rewrite(definition)).toMatchObject({ phase: "succeeded", counts: { rewritten: 12 } });
    const stored = (await definition.storedValues(cluster.etcd)).get(objectName(3));
    expect(JSON.parse(stored?.specText ?? "")).toEqual({ replicas: 3, host: "host-3", port: "80" });
  });
});

describe("a default that only the new schema has", () => {
  const mode = { type: "string", default: "fast" };

  test("on a field of both versions is reported with the raised generation, and holds nothing back", async () => {
    const definition = await define([
      { name: "v1", properties: { size: integer, mode: string } },
      { name: "v1beta1", storage: true, properties: { size: integer, mode: string } },
    ]);
    await definition.createObjects("v1beta1", 9, (index) => ({ size: index, ...(index % 3 === 0 && { mode: "slow" }) }));
    await flip(definition, [
      { name: "v1", storage: true, properties: { size: integer, mode } },
      { name: "v1beta1", properties: { size: integer, mode: string } },
    ]);
    const before = await definition.storedValues(cluster.etcd);
    const dryRun = await finishedDryRun(definition);
    const watchEvents = dryRun.checks.find(({ name }) => name === "watch-events");
    expect(await rewrite(definition)).toMatchObject({ phase: "succeeded", counts: { rewritten: 9 } });
    const after = await definition.storedValues(cluster.etcd);
    const { added, dropped, unowned } = etcdDifferences(before, after);
    expect(added).toEqual({ "spec.mode": 6 });
    expect(lossesOf(dryRun, "defaulted")).toEqual(added);
    expect([dropped, unowned]).toEqual([{}, {}]);
    const risen = [...after].filter(([name, { metadata }]) => metadata.generation > (before.get(name)?.metadata.generation ?? 0));
    expect(risen).toHaveLength(6);
    expect(dryRun.dryRun.generationRises).toBe(6);
    expect(watchEvents).toMatchObject({ status: "warn", message: expect.stringMatching(/9 MODIFIED.* 6 of 9 objects tried/) });
  });
});

describe("a rewrite without an earlier dry run", () => {
  test("makes its own dry run, stores nothing, and continues only once the losses are accepted, which the proof records", async () => {
    const definition = await narrowed();
    const before = await definition.storedValues(cluster.etcd);
    const held = await rewrite(definition);
    expect(held).toMatchObject({
      ...{ phase: "unproven", acceptedLosses: null, counts: { rewritten: 0 } },
      heldBackBecause: expect.stringMatching(
        /It rewrote nothing: spec\.(nested|containers|labels).* would be dropped in 10 objects, and 4 more paths/,
      ),
    });
    expect(await definition.storedValues(cluster.etcd)).toEqual(before);

    const refused = await bench.start(definition).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "precondition_failed", details: { dryRun: held.dryRun } });
    const { losses } = (refused as { details: { losses: { path: string; objects: number }[] } }).details;
    expect(losses.map(({ path }) => path).sort()).toEqual([
      "spec.containers[*].tag",
      'spec.containers[*]["pull.policy"]',
      'spec.labels["a.b"]',
      'spec.labels["example.com/team"]',
      "spec.nested.deep",
    ]);
    expect(await definition.storedValues(cluster.etcd)).toEqual(before);

    const accepted = await rewrite(definition, { acceptLosses: true });
    expect(accepted).toMatchObject({ phase: "succeeded", counts: { rewritten: 30 }, heldBackBecause: null });
    const { crd } = await readCrd(connection, definition.name, soon());
    const proof = crd.record === "unreadable" ? null : crd.record?.proof;
    const toAccept = losses.map(({ path, objects }) => expect.objectContaining({ kind: "dropped", path, objects }));
    expect(proof?.acceptedLosses).toMatchObject({ by: accepted.startedBy, dryRun: held.dryRun, more: 0 });
    expect(proof?.acceptedLosses?.losses).toHaveLength(5);
    expect(proof?.acceptedLosses?.losses).toEqual(expect.arrayContaining(toAccept));
  });

  test.each([1, 2, 3])("is held back also right after the change of the spec (%i)", async () => {
    const definition = await define(beforeFlip);
    await definition.createObjects("v1beta1", 12, wide);
    await definition.setVersions(narrower);
    expect(await rewrite(definition)).toMatchObject({ phase: "unproven", counts: { rewritten: 0 } });
    expect(await bench.storedAs(definition)).toEqual({ v1beta1: 12 });
  });

  test("continues at once if nothing is lost", async () => {
    const definition = await bench.stale(12);
    const run = await rewrite(definition);
    expect(run).toMatchObject({ phase: "succeeded", acceptedLosses: null, counts: { rewritten: 12 } });
    expect(run.dryRun).not.toBeNull();
  });
});

describe("objects that can't be dry-run", () => {
  test("because of a webhook with side effects are neither passed nor rejected, and their losses are unknown", async () => {
    const definition = await narrowed(12);
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

describe("a cancelled dry run", () => {
  test("ends within a second while a webhook hangs, sends nothing more, and claims no losses", async () => {
    const definition = await narrowed(40);
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
    await new Promise((resolve) => setTimeout(resolve, 300));
    const calls = webhook.calls();
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(webhook.calls()).toBe(calls);
    await expect(cancelDryRun(connection.audience, definition.name, id)).rejects.toMatchObject({ code: "conflict" });
    const { crd } = await readCrd(connection, definition.name, soon());
    expect(crd.record).toBeNull();
  });
});
