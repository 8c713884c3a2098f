import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { requestLines } from "#lib/cluster/transport/request.ts";
import type { DryRun } from "#lib/domain/losses/dry-run.ts";
import type { LossKind } from "#lib/domain/losses/losses.ts";
import { startConversionWebhook } from "#lib/local-cluster/demo/conversion-webhook.ts";
import { objectName, type SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { narrowed, narrower, wide } from "#lib/rewrite/testing/bench/narrowed.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { beforeFlip } from "#lib/rewrite/testing/bench/stale-definition.ts";
import { etcdDifferences } from "#lib/rewrite/testing/etcd/etcd-differences.ts";

const bench = await openTestBench();
const { cluster, api, connection, define, flip, dryRun: finishedDryRun, rewrite } = bench;

const string = { type: "string" };
const integer = { type: "integer" };

/** The paths of one kind of loss, with the number of objects. */
const lossesOf = ({ losses }: DryRun, kind: LossKind) =>
  Object.fromEntries(losses.filter((loss) => loss.kind === kind).map(({ path, objects }) => [path, objects]));

describe("a dry run when v1 lacks some fields", () => {
  test("reports each path with the number of objects that etcd shows before and after an accepted rewrite", async () => {
    const definition = await narrowed(bench);
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
    const definition = await narrowed(bench);
    const { losses } = await finishedDryRun(definition);
    const team = losses.find(({ path }) => path.includes("team"));
    expect(team?.examples).toHaveLength(5);
    for (const { namespace, name } of team?.examples ?? []) {
      expect(namespace).toBe("default");
      expect(Number(name.slice("widget-".length)) % 3).toBe(0);
    }
  });

  test("stores nothing and sends no watch event", async () => {
    const definition = await narrowed(bench);
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
    await expect.poll(() => events).toEqual([`MODIFIED ${objectName(4)}`]);
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
    const definition = await narrowed(bench);
    const before = await definition.storedValues(cluster.etcd);
    const held = await rewrite(definition);
    expect(held).toMatchObject({
      ...{ phase: "unproven", acceptedLosses: null, counts: { rewritten: 0 } },
      heldBackBecause: expect.stringMatching(
        /It rewrote nothing: spec\.(nested|containers|labels).* would be dropped in 10 objects, and 4 other paths would be affected/,
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
