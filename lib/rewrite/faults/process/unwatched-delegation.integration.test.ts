import { afterAll, expect, test } from "vitest";
import { connect } from "#lib/cluster/connection/connect.ts";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { readHistory } from "#lib/cluster/history/read-history.ts";
import { standInMigrations } from "#lib/cluster/testing/stand-in-migrations.ts";
import type { StartRewrite } from "#lib/contract/rewrite/run.ts";
import { migrationName } from "#lib/domain/rewrite/migration.ts";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { cancelRewrite } from "#lib/rewrite/commands/cancel-rewrite.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { resumeRewrite } from "#lib/rewrite/commands/resume-rewrite.ts";
import { untilRecorded } from "#lib/rewrite/record/record-action.ts";
import { stopAllRuns } from "#lib/rewrite/run/running.ts";
import { benchOn, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { ownCluster } from "#lib/rewrite/testing/clusters/own-cluster.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";
import { removeNotes } from "#lib/rewrite/testing/webhooks/remove-notes.ts";
import { chooseKubeconfig } from "#lib/settings/env.ts";

// What happens while crdshift is shut down in the middle of a delegated run. The test does what the engine's controller would.

const OBJECTS = 3;
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const WEBHOOKS = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
const { cluster, api } = await ownCluster();
chooseKubeconfig(cluster.kubeconfig);
const bench = benchOn(cluster, api, await connect(cluster.context));
const inTree = await standInMigrations(api, "storagemigration.k8s.io", "v1");

afterAll(() => fleetOf(bench.connection).stop());

// Without validProof (repair-stored-versions.ts) v1beta1 is listed again, and an Event says that the engine had removed it without proof.
test("cancelling an interrupted delegated run keeps a prune that a proof allowed", async () => {
  const { definition, id } = await prunedMeanwhile();
  await cancelRewrite(bench.connection, definition.name, id, soon());
  expect((await definition.read()).status.storedVersions).toEqual(["v1"]);
  await untilRecorded();
  const { items } = await readHistory(bench.connection, definition.name, soon());
  expect(items.filter(({ kind }) => kind === "repaired")).toEqual([]);
});

// Without the person's prune in provenPrune (finish-run.ts) the record says that the engine pruned, and the person's name is gone.
test("resuming it keeps who pruned, and leaves the list as it is", async () => {
  const { definition, id } = await prunedMeanwhile();
  const { prune } = await readRecord(definition);
  await resume(definition, id);
  const migration = migrationName(id, 2);
  await expect.poll(inTree.names).toContain(migration);
  await inTree.say(migration, { type: "Running" });
  await expect.poll(async () => (await bench.run(definition, id)).delegation?.phase).toBe("running");
  await inTree.say(migration, { type: "Running", status: "False" }, { type: "Succeeded" });
  expect(await bench.endOf(definition, id)).toMatchObject({ phase: "succeeded", delegation: { putBack: [] } });
  expect((await readRecord(definition)).prune).toEqual(prune);
});

const unwatched = expect.stringContaining("crdshift didn't watch what the cluster's own engine wrote");

// Without unwatchedWrites (resume-rewrite.ts) the run is proven without a word, and all notes are gone.
test("the end of a resumed run tells that the engine wrote unwatched", async () => {
  const { definition, id } = await rewrittenMeanwhile();
  await api.mergePatch(`${WEBHOOKS}/${definition.name}`, { webhooks: [] });
  await resume(definition, id);
  expect(await bench.endOf(definition, id)).toMatchObject({ phase: "succeeded", statusReason: unwatched });
  expect(await notes(definition)).toBe(0);
});

// Without the migration's own phase (delegate-rewrite.ts) it ends as held back "before anything was rewritten".
test("a resumed run follows what the engine has done to its end, even if a webhook mutates by then", async () => {
  const { definition, id } = await rewrittenMeanwhile();
  await resume(definition, id);
  expect(await bench.endOf(definition, id)).toMatchObject({ phase: "succeeded", statusReason: unwatched });
});

// Without unwatchedWrites (cancel-rewrite.ts) nothing tells that notes may be gone.
test("the end of a cancelled run tells it, too", async () => {
  const { definition, id } = await rewrittenMeanwhile();
  expect(await cancelRewrite(bench.connection, definition.name, id, soon())).toMatchObject({ phase: "cancelled", statusReason: unwatched });
});

// Without stillAccepted (caveats-of-stopped.ts) the consent of the earlier spec keeps the cancelled run silent.
test("it tells it even if losses of an earlier spec were accepted unseen", async () => {
  const { definition, id } = await rewrittenMeanwhile({ acceptUnseen: true });
  await api.mergePatch(`${DEFINITIONS}/${definition.name}`, { spec: { names: { categories: ["all"] } } });
  expect(await cancelRewrite(bench.connection, definition.name, id, soon())).toMatchObject({ phase: "cancelled", statusReason: unwatched });
});

test("no controller has picked the migration up by then: nothing is unknown", async () => {
  const definition = await bench.stale(OBJECTS);
  const { id } = await bench.start(definition, { engine: "in-tree" });
  await expect.poll(async () => (await bench.run(definition, id)).delegation?.phase).toBe("pending");
  await stopAllRuns();
  expect(await cancelRewrite(bench.connection, definition.name, id, soon())).toMatchObject({ phase: "cancelled", caveats: [] });
});

// Without leaveEarlier (delegate-rewrite.ts) the migration of the earlier generation stays, and writes every object after the proof.
test("a run that is resumed after the spec changed leaves no migration of the earlier spec behind", async () => {
  const definition = await bench.stale(OBJECTS);
  const { id } = await bench.start(definition, { engine: "in-tree" });
  const [earlier, later] = [migrationName(id, 2), migrationName(id, 3)];
  await expect.poll(async () => (await bench.run(definition, id)).delegation?.phase).toBe("pending");
  await stopAllRuns();
  await api.mergePatch(`${DEFINITIONS}/${definition.name}`, { spec: { names: { categories: ["all"] } } });
  await resume(definition, id);
  await expect.poll(inTree.names).toContain(later);
  expect(await inTree.names()).not.toContain(earlier);
  await inTree.say(later, { type: "Running", status: "False" }, { type: "Succeeded" });
  const left = expect.stringContaining(`${earlier} was deleted before any controller picked it up.`);
  const delegation = { migration: later, phase: "succeeded" };
  expect(await bench.endOf(definition, id)).toMatchObject({ phase: "succeeded", statusReason: left, caveats: [left], delegation });
});

/** A proven definition with a delegated run that was interrupted before it created a migration, and was pruned since. */
async function prunedMeanwhile() {
  const definition = await bench.stale(OBJECTS);
  await readDetail(bench.connection, definition.name, soon());
  expect(await bench.rewrite(definition)).toMatchObject({ phase: "succeeded" });
  const { id } = await bench.start(definition, { engine: "in-tree" });
  await stopAllRuns();
  expect(await bench.run(definition, id)).toMatchObject({ phase: "interrupted", delegation: { phase: null } });
  await pruneStoredVersions(bench.connection, definition.name, definition.name, soon());
  return { definition, id };
}

/** A delegated run that was interrupted; since then, a webhook removes notes, and the engine has rewritten every object. */
async function rewrittenMeanwhile(options: StartRewrite = {}) {
  const definition = await bench.stale(OBJECTS, { spec: () => ({ note: "precious" }) });
  const { id } = await bench.start(definition, { engine: "in-tree", ...options });
  const migration = migrationName(id, 2);
  await expect.poll(inTree.names).toContain(migration);
  // Not seen by crdshift any more if it is shut down first.
  await expect.poll(async () => (await bench.run(definition, id)).delegation?.phase).toBe("pending");
  await stopAllRuns();
  await inTree.say(migration, { type: "Running" });
  await removeNotes(api, definition);
  for (let index = 0; index < OBJECTS; index += 1) await api.mergePatch(definition.path("v1", { name: objectName(index) }), {});
  await api.mergePatch(`${DEFINITIONS}/${definition.name}/status`, { status: { storedVersions: ["v1"] } });
  await inTree.say(migration, { type: "Running", status: "False" }, { type: "Succeeded" });
  return { definition, id };
}

function resume(definition: SampleDefinition, id: string) {
  return resumeRewrite(bench.connection, definition.name, id, { settleSeconds: 0, signal: soon() });
}

async function notes(definition: SampleDefinition): Promise<number> {
  return [...(await definition.storedValues(cluster.etcd)).values()].filter(({ text }) => text.includes("precious")).length;
}
