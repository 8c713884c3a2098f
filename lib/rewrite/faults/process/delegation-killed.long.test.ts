import { expect, onTestFinished, test } from "vitest";
import { connect } from "#lib/cluster/connection/connect.ts";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { standInMigrations } from "#lib/cluster/testing/stand-in-migrations.ts";
import { migrationName } from "#lib/domain/rewrite/migration.ts";
import { TAKE_OVER_AFTER_MS } from "#lib/domain/rewrite/run.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { cancelRewrite } from "#lib/rewrite/commands/cancel-rewrite.ts";
import { resumeRewrite } from "#lib/rewrite/commands/resume-rewrite.ts";
import { stopAllRuns } from "#lib/rewrite/run/running.ts";
import { benchOn, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import type { TestBench } from "#lib/rewrite/testing/bench/test-bench.ts";
import { type CrdshiftProcess, SOON, startCrdshift } from "#lib/rewrite/testing/clusters/crdshift-process.ts";
import { ownCluster } from "#lib/rewrite/testing/clusters/own-cluster.ts";
import { holdElsewhere, readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";
import { chooseKubeconfig } from "#lib/settings/env.ts";

// A crdshift dies while the cluster's own engine, which the test simulates, migrates the objects. The test's process is the next
// crdshift, which has not seen the cluster before.

const { cluster, api } = await ownCluster();
chooseKubeconfig(cluster.kubeconfig);
const inTree = await standInMigrations(api, "storagemigration.k8s.io", "v1");

test("killed with -9: each run shows as interrupted with the possibly missing versions, and can be resumed or cancelled", async () => {
  const first = await startCrdshift(cluster, cluster);
  const bench = await nextCrdshift();
  const failing = await delegated(bench, first, "running");
  const running = await delegated(bench, first, "running");
  const waiting = await delegated(bench, first, "pending");
  expect(await first.stop("SIGKILL")).toBeNull();
  // The engine does not mind: one fails, the other has only begun, and the list is short with both.
  for (const { definition } of [failing, running]) await shorten(definition);
  await inTree.say(failing.migration, { type: "Running", status: "False" }, { type: "Failed", message: "an object is frozen" });
  await expect(resume(bench, failing)).rejects.toMatchObject({ code: "conflict" });

  for (const { definition } of [failing, running, waiting]) {
    await holdElsewhere(api, definition, { renewedAt: new Date(Date.now() - TAKE_OVER_AFTER_MS - 1_000).toISOString() });
  }
  for (const { definition, id } of [failing, running, waiting]) {
    await expect.poll(async () => (await bench.run(definition, id)).phase).toBe("interrupted");
  }
  // Without the time, or without the record's being older than the migration (prunedUnderRun in migration.ts) it is shown as current.
  const detail = () => readDetail(bench.connection, failing.definition.name, soon());
  await expect.poll(async () => (await detail()).missingStoredVersions).toEqual(["v1beta1"]);
  expect(await detail()).toMatchObject({ state: "blocked", storedVersions: ["v1"], shrankWithoutProof: [] });

  await resume(bench, failing);
  expect(await bench.endOf(failing.definition, failing.id)).toMatchObject({
    phase: "succeeded",
    takenOverAt: expect.any(String),
    delegation: { migration: failing.migration, phase: "failed", putBack: ["v1beta1"] },
    counts: { rewritten: 2 },
  });
  expect(await bench.storedAs(failing.definition)).toEqual({ v1: 2 });
  expect(await migrationsOf(failing)).toEqual([failing.uid]);

  // Without leaveAbandoned (cancel-rewrite.ts) the list stays short, nothing tells of the engine, and what waits is picked up one day.
  expect(await cancel(bench, running)).toMatchObject({
    phase: "cancelled",
    delegation: { phase: "running", left: expect.stringContaining("continues, and shortens"), putBack: ["v1beta1"] },
  });
  expect((await running.definition.read()).status.storedVersions).toEqual(["v1beta1", "v1"]);
  expect(await migrationsOf(running)).toEqual([running.uid]);
  expect(await cancel(bench, waiting)).toMatchObject({
    phase: "cancelled",
    delegation: { phase: null, left: expect.stringContaining("was deleted before any controller picked it up"), putBack: [] },
  });
  expect(await migrationsOf(waiting)).toEqual([]);
  for (const { definition } of [running, waiting]) {
    expect(await readRecord(definition)).toMatchObject({ holder: null, proof: null });
    expect(await bench.storedAs(definition)).toEqual({ v1beta1: 2 });
  }
});

// Without the lookup of an existing one (createMigration in in-tree-migration.ts), the resumed run keeps trying to create another one.
test("ended by SIGTERM: interrupted at once, and resumed with the same migration", async () => {
  const first = await startCrdshift(cluster, cluster);
  const bench = await nextCrdshift();
  const run = await delegated(bench, first, "running");
  expect(await first.stop("SIGTERM")).toBe(0);
  expect(await readRecord(run.definition)).toMatchObject({
    holder: null,
    runs: [{ id: run.id, phase: "interrupted", delegation: { phase: "running", left: null, storedVersionsBefore: ["v1beta1", "v1"] } }],
  });
  await shorten(run.definition);
  await inTree.say(run.migration, { type: "Running", status: "False" }, { type: "Succeeded" });

  await resume(bench, run);
  // Its result is not trusted: both objects are unchanged.
  expect(await bench.endOf(run.definition, run.id)).toMatchObject({
    phase: "succeeded",
    delegation: { migration: run.migration, phase: "succeeded" },
    counts: { rewritten: 2 },
  });
  expect(await migrationsOf(run)).toEqual([run.uid]);
  expect(await bench.storedAs(run.definition)).toEqual({ v1: 2 });
  // With the proof what the engine took out can be put back like a prune.
  expect((await readRecord(run.definition)).prune).toMatchObject({ versions: ["v1beta1"], runId: run.id });
});

interface DelegatedRun {
  definition: SampleDefinition;
  id: string;
  migration: string;
  uid: string | undefined;
}

/** A run of that process on two stale objects, which waits for its migration. */
async function delegated(bench: TestBench, crdshift: CrdshiftProcess, phase: "pending" | "running"): Promise<DelegatedRun> {
  const definition = await bench.stale(2);
  const id = await crdshift.start(definition, { engine: "in-tree", acceptUnseen: true });
  const migration = migrationName(id, 2);
  await expect.poll(inTree.names, SOON).toContain(migration);
  if (phase === "running") await inTree.say(migration, { type: "Running" });
  await expect.poll(async () => (await crdshift.run(definition, id)).delegation?.phase, SOON).toBe(phase);
  return { definition, id, migration, uid: (await inTree.read(migration)).metadata.uid };
}

/** Its fleet begins with the first look. */
async function nextCrdshift(): Promise<TestBench> {
  const connection = await connect(cluster.context);
  onTestFinished(() => fleetOf(connection).stop());
  onTestFinished(stopAllRuns);
  return benchOn(cluster, api, connection);
}

function resume({ connection }: TestBench, { definition, id }: DelegatedRun) {
  return resumeRewrite(connection, definition.name, id, { settleSeconds: 0, signal: soon() });
}

function cancel({ connection }: TestBench, { definition, id }: DelegatedRun) {
  return cancelRewrite(connection, definition.name, id, soon());
}

/** The uids of all migrations that were made for the run. */
async function migrationsOf({ id }: DelegatedRun): Promise<(string | undefined)[]> {
  const names = (await inTree.names()).filter((name) => name.includes(id));
  return Promise.all(names.map(async (name) => (await inTree.read(name)).metadata.uid));
}

/** What the engine does to the list, however far it is. */
async function shorten({ name }: SampleDefinition): Promise<void> {
  await api.mergePatch(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}/status`, { status: { storedVersions: ["v1"] } });
}
