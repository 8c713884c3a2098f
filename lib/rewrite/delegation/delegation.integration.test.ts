import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { connect } from "#lib/cluster/connection/connect.ts";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { validProof } from "#lib/domain/record/valid-evidence.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import { type ApiClient, apiClient } from "#lib/local-cluster/api-client.ts";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { type LocalCluster, startLocalCluster } from "#lib/local-cluster/start-local-cluster.ts";
import { startHoldingWebhook } from "#lib/local-cluster/testing/holding-webhook.ts";
import { type InTreeEngine, inTreeEngine, migrationsOf, nudge, shortensList } from "#lib/local-cluster/testing/in-tree-engine.ts";
import { cancelRewrite } from "#lib/rewrite/commands/cancel-rewrite.ts";
import { pauseRewrite } from "#lib/rewrite/commands/pause-rewrite.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { relistStoredVersions } from "#lib/rewrite/commands/relist-stored-versions.ts";
import { resumeRewrite } from "#lib/rewrite/commands/resume-rewrite.ts";
import { startRewrite } from "#lib/rewrite/commands/start-rewrite.ts";
import { stopAllRuns } from "#lib/rewrite/run/running.ts";
import { benchOn, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import type { TestBench } from "#lib/rewrite/testing/bench/test-bench.ts";
import { denyUpdatesOfFrozen } from "#lib/rewrite/testing/webhooks/deny-updates.ts";
import { chooseKubeconfig } from "#lib/settings/env.ts";

// Delegation to the real kube-controller-manager, with etcd as the judge.

let cluster: LocalCluster;
let api: ApiClient;
let engine: InTreeEngine;
let bench: TestBench;

beforeAll(async () => {
  cluster = await startLocalCluster({ controllerManager: true });
  chooseKubeconfig(cluster.kubeconfig);
  api = apiClient(cluster);
  engine = inTreeEngine(cluster, api);
  bench = benchOn(cluster, api, await connect(cluster.context));
});

const SHORTENS = "Up to Kubernetes 1.35, this engine leaves the list and the conditions alone.";

beforeEach(({ skip }) => skip(!cluster.migrationApi, "Up to Kubernetes 1.34, this engine has no API that crdshift speaks."));

afterAll(async () => {
  await stopAllRuns();
  fleetOf(bench.connection).stop();
  api.close();
  await cluster.stop();
});

test("a delegated run ends proven, with the list that the engine shortened, and can be undone", async ({ skip }) => {
  skip(!shortensList(cluster), SHORTENS);
  const definition = await bench.stale(20);

  const run = await delegate(definition);
  const end = await endOf(definition, run);

  expect(end).toMatchObject({
    phase: "succeeded",
    engine: "in-tree",
    delegation: { phase: "succeeded", storedVersionsBefore: ["v1beta1", "v1"], putBack: [] },
    // What the engine wrote is above the settle point: verified, not written again.
    counts: { rewritten: 0, rejected: 0 },
  });
  // An object that only nudges the engine may be met before it is gone.
  const { total, alreadyCurrent } = end.counts;
  expect([20, 21]).toContain(alreadyCurrent);
  expect(total).toBe(alreadyCurrent);
  expect(await bench.storedAs(definition)).toEqual({ v1: 20 });
  const { crd } = await readCrd(bench.connection, definition.name, soon());
  expect(crd.storedVersions).toEqual(["v1"]);
  expect(validProof(crd)).toMatchObject({ objects: alreadyCurrent, runId: run.id });
  const undone = await relistStoredVersions(bench.connection, definition.name, ["v1beta1"], soon());
  expect(undone.storedVersions).toEqual(["v1beta1", "v1"]);
  // That the engine has ended is seen a moment later.
  await expect.poll(async () => (await detailOf(definition)).state, { timeout: 60_000 }).toBe("prunable");
  expect(await detailOf(definition)).toMatchObject({ lastPrune: { versions: ["v1beta1"] } });
});

// Without putBackAfterEngine (create-and-wait.ts) storedVersions stays at v1 with an object stored as v1beta1.
// With a dry run before the settle wait, too (work of run-rewrite.ts), each object is tried twice.
test("a delegated run tries each object once, when it has settled", async () => {
  vi.stubEnv("CRDSHIFT_SETTLE_SECONDS", "3");
  onTestFinished(() => void vi.unstubAllEnvs());
  const definition = await bench.stale(5);
  await engine.learn();
  const run = await startRewrite(bench.connection, definition.name, { engine: "in-tree", settleSeconds: 3, signal: soon() });
  expect(await endOf(definition, run)).toMatchObject({ phase: "succeeded", sent: { dryRun: 5 } });
});

// Without noteOwnedDefaults (create-and-wait.ts) nothing tells whose they are, and a pipeline that applies stops at a conflict.
test("the end says that the engine owns the defaults that it stored, and the lists around them", async () => {
  const port = { port: { type: "integer" } };
  const listOf = (properties: object) => ({ ports: { type: "array", items: { type: "object", properties } } });
  const definition = await bench.define([
    { name: "v1beta1", storage: true, properties: listOf(port) },
    { name: "v1", properties: listOf(port) },
  ]);
  await bench.apply(definition, "v1", objectName(0), "gitops", { ports: [{ port: 80 }] });
  await bench.flip(definition, [
    { name: "v1", storage: true, properties: listOf({ ...port, protocol: { type: "string", default: "TCP" } }) },
    { name: "v1beta1", properties: listOf(port) },
  ]);
  await engine.learn();
  const end = await endOf(definition, await bench.start(definition, { engine: "in-tree" }));
  expect(end).toMatchObject({ phase: "succeeded", statusReason: expect.stringContaining("such as spec.ports[*].protocol. It owns these") });
  const applied = bench.apply(definition, "v1", objectName(0), "gitops", { ports: [{ port: 81 }] });
  await expect(applied).rejects.toThrow("storage-version-migrator-controller");
});

test("if the engine fails on one object, the list is repaired, the rest is rewritten, and the object is named", async ({ skip }) => {
  skip(!shortensList(cluster), SHORTENS);
  const definition = await bench.stale(5, { spec: (index) => ({ frozen: index === 0 }) });
  await denyUpdatesOfFrozen(api, definition);

  const run = await delegate(definition);
  const end = await endOf(definition, run);

  expect(end).toMatchObject({
    phase: "unproven",
    delegation: { phase: "failed", message: expect.stringContaining("is frozen"), putBack: ["v1beta1"] },
    rejections: [{ count: 1, examples: [{ namespace: "default", name: "widget-000000" }] }],
  });
  expect(await bench.storedAs(definition)).toEqual({ v1: 4, v1beta1: 1 });
  expect((await definition.read()).status.storedVersions).toEqual(["v1beta1", "v1"]);
  await expect(pruneStoredVersions(bench.connection, definition.name, definition.name, soon())).rejects.toThrow("is unproven.");
});

test("a run can't be paused while the engine works; a cancelled one says that the engine continues", async () => {
  const definition = await bench.stale(3);
  const { release } = await holdUpdates(definition);
  const { id } = await delegate(definition);
  await expect.poll(async () => (await bench.run(definition, id)).delegation?.phase, { timeout: 60_000 }).toBe("running");

  await expect(pauseRewrite(bench.connection, definition.name, id, soon())).rejects.toMatchObject({ code: "precondition_failed" });
  const pressed = performance.now();
  const cancelled = await cancelRewrite(bench.connection, definition.name, id, soon());
  expect(performance.now() - pressed).toBeLessThan(1_000);

  expect(cancelled).toMatchObject({
    phase: "cancelled",
    delegation: { phase: "running", left: expect.stringContaining("continues, and shortens") },
  });
  // Nothing else is begun beside it, and it is not fought.
  await expect(bench.start(definition)).rejects.toThrow(`StorageVersionMigration ${nameOf(cancelled)} is running`);
  release();
  expect(await engine.endOf(definition, nameOf(cancelled))).toMatchObject({ type: "Succeeded" });
});

test("an interrupted run continues with the same migration", async () => {
  const definition = await bench.stale(3);
  const { release } = await holdUpdates(definition);
  const { id } = await delegate(definition);
  await expect.poll(async () => (await bench.run(definition, id)).delegation?.phase, { timeout: 60_000 }).toBe("running");
  await stopAllRuns();
  const interrupted = await bench.run(definition, id);
  expect(interrupted.phase).toBe("interrupted");
  const { uid } = (await migrationNamed(nameOf(interrupted))).metadata;

  release();
  const resumed = await resumeRewrite(bench.connection, definition.name, id, { settleSeconds: 0, signal: soon() });

  expect(await endOf(definition, resumed)).toMatchObject({ phase: "succeeded", delegation: { migration: nameOf(interrupted) } });
  expect((await migrationNamed(nameOf(interrupted))).metadata.uid).toBe(uid);
});

// Without the putting back at each look (create-and-wait.ts) the list stays short from the second migration's start to its end.
test("a second migration shortens the list before it rewrites anything: the list is repaired until proven", async ({ skip }) => {
  skip(!shortensList(cluster), SHORTENS);
  const three = (storage: string) => ["v1beta1", "v1", "v2"].map((name) => ({ name, storage: name === storage }));
  const definition = await bench.define(three("v1beta1"));
  await definition.createObjects("v1beta1", 3);
  await bench.flip(definition, three("v1"));
  await engine.learn();
  await engine.migrate(definition, `first-${definition.group}`);
  await engine.endOf(definition, `first-${definition.group}`);
  await bench.flip(definition, three("v2"));
  const { release } = await holdUpdates(definition);

  const run = await delegate(definition);
  await expect.poll(async () => (await bench.run(definition, run.id)).delegation?.putBack, { timeout: 60_000 }).toEqual(["v1"]);
  expect((await definition.read()).status.storedVersions).toEqual(["v1", "v2"]);
  expect(await bench.storedAs(definition)).toEqual({ v1: 3 });

  release();
  expect(await endOf(definition, run)).toMatchObject({ phase: "succeeded" });
  expect(await bench.storedAs(definition)).toEqual({ v2: 3 });
  expect((await definition.read()).status.storedVersions).toEqual(["v2"]);
});

test("another tool's failed migration: shown as blocked with the reason, and repaired on request", async ({ skip }) => {
  skip(!shortensList(cluster), SHORTENS);
  const definition = await bench.stale(3, { spec: (index) => ({ frozen: index === 0 }) });
  const policy = await denyUpdatesOfFrozen(api, definition);
  await engine.learn();
  const name = `foreign-${definition.group}`;
  await engine.migrate(definition, name);
  await engine.endOf(definition, name);
  const shown = async () => [(await detailOf(definition)).migrations[0]?.phase, (await detailOf(definition)).state];
  await expect.poll(shown, { timeout: 60_000 }).toEqual(["failed", "blocked"]);
  const blocked = await detailOf(definition);
  expect(blocked).toMatchObject({
    state: "blocked",
    storedVersions: ["v1"],
    missingStoredVersions: ["v1beta1"],
    migrations: [{ name, engine: "in-tree", runId: null, message: expect.stringContaining("is frozen") }],
    actions: { restore: { refusal: null } },
  });

  await relistStoredVersions(bench.connection, definition.name, blocked.missingStoredVersions, soon());
  expect(await detailOf(definition)).toMatchObject({
    state: "needs-rewrite",
    storedVersions: ["v1beta1", "v1"],
    missingStoredVersions: [],
  });
  await policy.lift();
  expect(await bench.rewrite(definition)).toMatchObject({ phase: "succeeded", engine: "crdshift" });
  expect(await bench.storedAs(definition)).toEqual({ v1: 3 });
});

// Without isLeftBehind (lib/domain/rewrite/migration.ts) the definition is shown as rewriting forever, and nothing can start.
test("a condition left behind by a migration that was deleted while it ran blocks nothing", async ({ skip }) => {
  skip(!shortensList(cluster), SHORTENS);
  const definition = await bench.stale(2);
  await engine.learn();
  const { release } = await holdUpdates(definition);
  const name = `deleted-${definition.group}`;
  await engine.migrate(definition, name);
  await expect.poll(async () => (await detailOf(definition)).state, { timeout: 60_000 }).toBe("rewriting");
  await expect(bench.start(definition)).rejects.toThrow(`${name} is running`);
  await api.delete(`${migrationsOf(cluster)}/${name}`);
  release();

  await expect.poll(async () => (await detailOf(definition)).state, { timeout: 60_000 }).toBe("needs-rewrite");
  expect((await detailOf(definition)).conditions).toContainEqual(expect.objectContaining({ type: "StorageMigrating", status: "True" }));
  expect(await bench.rewrite(definition, { acceptUnseen: true })).toMatchObject({ phase: "succeeded" });
});

/** Keeps updates of its objects waiting from now on, so that a migration can't end. */
async function holdUpdates(definition: SampleDefinition): Promise<{ release(): void }> {
  const webhook = await startHoldingWebhook(api, definition);
  onTestFinished(webhook.remove);
  return webhook;
}

/** Starts a delegated run, once the engine knows the definition. Losses are accepted, for the dry run is not what is tested. */
async function delegate(definition: SampleDefinition): Promise<Run> {
  await engine.learn();
  return bench.start(definition, { engine: "in-tree", acceptUnseen: true });
}

/** The run once it has ended; until then the engine is told at once what it would hear within a minute. */
async function endOf(definition: SampleDefinition, { id }: Run): Promise<Run> {
  const isOtherEngineAtWork = async () => ["pending", "running"].includes((await bench.run(definition, id)).delegation?.phase ?? "");
  const phase = async () => (await bench.run(definition, id)).delegation?.phase ?? "none yet";
  await expect.poll(phase, { timeout: 60_000 }).toMatch(/running|succeeded|failed/);
  const told = async () => {
    if (await isOtherEngineAtWork()) await nudge(api, definition);
    return isOtherEngineAtWork();
  };
  await expect.poll(told, { timeout: 90_000, interval: 300 }).toBe(false);
  return bench.endOf(definition, id);
}

function nameOf({ delegation }: Run): string {
  return delegation?.migration ?? "";
}

function migrationNamed(name: string) {
  return api.get(`${migrationsOf(cluster)}/${name}`);
}

function detailOf(definition: SampleDefinition) {
  return readDetail(bench.connection, definition.name, soon());
}
