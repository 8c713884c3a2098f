import { expect, test } from "vitest";
import { readHistory } from "#lib/cluster/history/read-history.ts";
import { faultProxy, type Match } from "#lib/cluster/testing/fault-proxy.ts";
import { standInMigrations } from "#lib/cluster/testing/stand-in-migrations.ts";
import { migrationName } from "#lib/domain/rewrite/migration.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { cancelRewrite } from "#lib/rewrite/commands/cancel-rewrite.ts";
import { untilRecorded } from "#lib/rewrite/record/record-action.ts";
import { stopAllRuns } from "#lib/rewrite/run/running.ts";
import { benchIn } from "#lib/rewrite/testing/bench/bench-in.ts";
import { recordOf, statusWriteOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import type { TestBench } from "#lib/rewrite/testing/bench/test-bench.ts";
import { ownCluster } from "#lib/rewrite/testing/clusters/own-cluster.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";

// Answers and callers that are lost as crdshift cleans up after the cluster's own engine. The test does what that engine's controller would.

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const { cluster, api } = await ownCluster();
const inTree = await standInMigrations(api, "storagemigration.k8s.io", "v1");

/** A delegated run that has created its migration. */
async function pending() {
  const proxy = await faultProxy(cluster);
  const bench = await benchIn({ cluster, api }, { server: proxy.server });
  const definition = await bench.stale(2);
  const { id } = await bench.start(definition, { engine: "in-tree", acceptUnseen: true });
  const migration = migrationName(id, 2);
  await expect.poll(async () => (await bench.run(definition, id)).delegation?.phase).toBe("pending");
  const cancel = (signal = soon()) => cancelRewrite(bench.connection, definition.name, id, signal);
  return { bench, proxy, definition, id, migration, cancel };
}

/** One whose engine has shortened the list, and of whose repair the answer will be lost. */
async function shortened() {
  const { proxy, bench, definition, id, migration, cancel } = await pending();
  await inTree.say(migration, { type: "Running" });
  await expect.poll(async () => (await bench.run(definition, id)).delegation?.phase).toBe("running");
  await api.mergePatch(`${DEFINITIONS}/${definition.name}/status`, { status: { storedVersions: ["v1"] } });
  const lost = proxy.inject(statusWriteOf(definition), { kind: "reset", when: "after" }, 1);
  return { bench, definition, id, migration, cancel, lost };
}

/** One that nobody runs any more, and whose migration no controller has picked up. */
async function abandoned() {
  const run = await pending();
  await stopAllRuns();
  expect(await run.bench.run(run.definition, run.id)).toMatchObject({ phase: "interrupted", delegation: { phase: "pending" } });
  return { ...run, isEnd: recordOf(run.definition, '\\"phase\\":\\"cancelled\\"') };
}

async function repairsOf({ connection }: TestBench, { name }: SampleDefinition): Promise<string[]> {
  await untilRecorded();
  const { items } = await readHistory(connection, name, soon());
  return items.filter(({ kind }) => kind === "repaired").map(({ message }) => message);
}

const repaired = "Repaired status.storedVersions: added v1beta1, removed without proof.";

// Without writtenUnanswered (repair-stored-versions.ts) the next attempt finds nothing missing, and the repair is told nowhere.
test("a repair whose answer is lost is told as the repair that it was", async () => {
  const { bench, definition, id, migration, lost } = await shortened();
  await inTree.say(migration, { type: "Running", status: "False" }, { type: "Failed", message: "no" });
  expect(await bench.endOf(definition, id)).toMatchObject({ delegation: { phase: "failed", putBack: ["v1beta1"] } });
  expect(lost.hits()).toBe(1);
  expect((await definition.read()).status.storedVersions).toEqual(["v1beta1", "v1"]);
  expect(await repairsOf(bench, definition)).toEqual([repaired]);
});

// Without it the verdict says that crdshift couldn't check the list, for at a run's end there is no next attempt.
test("so is that of a run that is cancelled", async () => {
  const { bench, definition, cancel, lost } = await shortened();
  const cancelled = await cancel();
  expect(lost.hits()).toBe(1);
  expect(cancelled).toMatchObject({ phase: "cancelled", statusReason: "Cancelled.", delegation: { putBack: ["v1beta1"] } });
  expect((await definition.read()).status.storedVersions).toEqual(["v1beta1", "v1"]);
  expect(await repairsOf(bench, definition)).toEqual([repaired]);
});

const deleted = { phase: null, left: expect.stringContaining("was deleted before any controller picked it up") };

// Under the caller's signal (leaveAbandoned in leave-migration.ts) the migration stays, and a controller picks it up one day.
test("a cancel whose caller is gone once the end is recorded deletes the migration all the same", async () => {
  const { bench, proxy, definition, id, migration, cancel, isEnd } = await abandoned();
  const isLookAfterEnd: Match = ({ path }) => path.endsWith(`/${migration}`) && proxy.seen.some(isEnd);
  const { reached, release } = proxy.hold(isLookAfterEnd, "before");
  const caller = new AbortController();
  const cancelling = cancel(caller.signal).catch(() => {});
  await reached;
  caller.abort();
  release();
  await cancelling;
  expect(await bench.run(definition, id)).toMatchObject({ phase: "cancelled", delegation: deleted });
  expect(await inTree.names()).not.toContain(migration);
});

// Without mayHaveLeft (cancel-rewrite.ts) the second one says that there is nothing to cancel.
test("a cancel that failed once the end was recorded can be repeated", async () => {
  const { bench, proxy, definition, id, migration, cancel, isEnd } = await abandoned();
  proxy.inject(isEnd, { kind: "reset", when: "after" }, 1);
  await expect(cancel()).rejects.toMatchObject({ code: "cluster_unreachable" });
  expect((await readRecord(definition)).runs[0]).toMatchObject({ id, phase: "cancelled", delegation: { phase: "pending", left: null } });
  expect(await inTree.names()).toContain(migration);

  expect(await cancel()).toMatchObject({ phase: "cancelled", delegation: deleted });
  expect(await inTree.names()).not.toContain(migration);
  await expect(cancel()).rejects.toMatchObject({ code: "conflict", nextStep: "There is nothing to cancel." });
  expect(await bench.run(definition, id)).toMatchObject({ statusReason: expect.stringMatching(/^Cancelled\./), caveats: [] });
});

// With mayHaveLeft asking for a run without a word (leave-migration.ts) the others find nothing to cancel, and the migration stays.
test("a cancel that couldn't read the migration can be repeated until it can", async () => {
  const { proxy, definition, id, migration, cancel } = await abandoned();
  const unread = { id, phase: "cancelled", delegation: { left: `crdshift can no longer read ${migration}; it may continue on its own.` } };
  const outage = proxy.inject(({ path }) => path.endsWith(`/${migration}`), { kind: "answer", status: 503, body: "" });
  expect(await cancel()).toMatchObject(unread);
  expect(await cancel()).toMatchObject(unread);
  outage.stop();
  expect(await cancel()).toMatchObject({ phase: "cancelled", delegation: deleted });
  expect((await readRecord(definition)).runs[0]).toMatchObject({ id, delegation: deleted });
  expect(await inTree.names()).not.toContain(migration);
  await expect(cancel()).rejects.toMatchObject({ code: "conflict", nextStep: "There is nothing to cancel." });
});

test("so can one of a run that was running", async () => {
  const { proxy, migration, cancel } = await pending();
  const outage = proxy.inject(({ path }) => path.endsWith(`/${migration}`), { kind: "answer", status: 503, body: "" });
  expect(await cancel()).toMatchObject({ phase: "cancelled", delegation: { left: expect.stringContaining("no longer read") } });
  outage.stop();
  expect(await cancel()).toMatchObject({ phase: "cancelled", delegation: deleted });
  expect(await inTree.names()).not.toContain(migration);
});

test("a cancel that can't record what became of the migration says so", async () => {
  const { proxy, definition, migration, cancel } = await abandoned();
  proxy.inject(recordOf(definition, "was deleted before"), { kind: "reset", when: "before" }, 1);
  await expect(cancel()).rejects.toMatchObject({
    code: "cluster_unreachable",
    message: `The rewrite is cancelled, but crdshift couldn't record what became of the StorageVersionMigration ${migration}.`,
  });
  expect(await cancel()).toMatchObject({ phase: "cancelled", delegation: { left: `${migration} no longer exists.` } });
});

test("a second cancel of a run that has left nothing finds nothing to cancel", async () => {
  const bench = await benchIn({ cluster, api });
  const definition = await bench.stale(1);
  const { id } = await bench.start(definition, { engine: "in-tree", acceptUnseen: true });
  await stopAllRuns();
  const cancel = () => cancelRewrite(bench.connection, definition.name, id, soon());
  expect(await cancel()).toMatchObject({ phase: "cancelled", delegation: { phase: null, left: null } });
  const { resourceVersion } = (await definition.read()).metadata;
  await expect(cancel()).rejects.toMatchObject({ code: "conflict", nextStep: "There is nothing to cancel." });
  expect((await definition.read()).metadata.resourceVersion).toBe(resourceVersion);
});
