import { afterAll, expect, onTestFinished, test } from "vitest";
import { forEachConcurrently } from "#lib/async/for-each-concurrently.ts";
import { connect } from "#lib/cluster/connection/connect.ts";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { listMigrations, readMigrationList } from "#lib/cluster/migrations/list-migrations.ts";
import { type StandInMigrations, standInMigrations } from "#lib/cluster/testing/stand-in-migrations.ts";
import { migrationName } from "#lib/domain/rewrite/migration.ts";
import { type DefinitionJson, objectName, type SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { cancelRewrite } from "#lib/rewrite/commands/cancel-rewrite.ts";
import { resumeRewrite } from "#lib/rewrite/commands/resume-rewrite.ts";
import { startRewrite } from "#lib/rewrite/commands/start-rewrite.ts";
import { stopAllRuns } from "#lib/rewrite/run/running.ts";
import { benchOn, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { ownCluster } from "#lib/rewrite/testing/clusters/own-cluster.ts";
import { etcdHistory } from "#lib/rewrite/testing/etcd/etcd-history.ts";
import { recordIn } from "#lib/rewrite/testing/record/hold-elsewhere.ts";
import { removeNotes } from "#lib/rewrite/testing/webhooks/remove-notes.ts";
import { conversionWebhook } from "#lib/rewrite/testing/webhooks/webhook-server.ts";
import { chooseKubeconfig } from "#lib/settings/env.ts";

// storagemigration.k8s.io/v1 without a controller, and OpenShift's engine. The test does what their controllers would.

const { cluster, api } = await ownCluster();
chooseKubeconfig(cluster.kubeconfig);
const bench = benchOn(cluster, api, await connect(cluster.context));
const openshift = await standInMigrations(api, "migration.k8s.io", "v1alpha1");
let inTree: StandInMigrations;

afterAll(() => fleetOf(bench.connection).stop());

test("if the API is not served, delegating is refused with an alternative, and nothing is written", async () => {
  const definition = await bench.stale(1);
  await expect(bench.start(definition, { engine: "in-tree" })).rejects.toMatchObject({
    code: "precondition_failed",
    nextStep: expect.stringContaining("crdshift's own engine"),
  });
  expect((await definition.read()).metadata.annotations).toBeUndefined();
  const { apis } = await listMigrations(bench.connection, soon());
  expect(apis).toEqual({ "in-tree": { status: "not-served" }, openshift: { status: "served", version: "v1alpha1" } });
});

test("storagemigration.k8s.io/v1 is used if served, and its result is verified", async () => {
  inTree = await standInMigrations(api, "storagemigration.k8s.io", "v1");
  const definition = await bench.stale(3);

  const { id } = await bench.start(definition, { engine: "in-tree", acceptUnseen: true });
  await expect.poll(inTree.names, { timeout: 20_000 }).toContain(migrationOf(id));
  const created = await inTree.read(migrationOf(id));
  expect(created).toMatchObject({
    apiVersion: "storagemigration.k8s.io/v1",
    spec: { resource: { group: definition.group, resource: "widgets" } },
  });
  expect(created.spec).not.toHaveProperty("resource.version");
  await inTree.say(migrationOf(id), { type: "Running" });
  // It leaves one object behind, and says to have succeeded.
  for (const index of [0, 1]) await api.mergePatch(definition.path("v1", { name: objectName(index) }), {});
  await api.mergePatch(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.name}/status`, {
    status: { storedVersions: ["v1"] },
  });
  await inTree.say(migrationOf(id), { type: "Running", status: "False" }, { type: "Succeeded" });

  expect(await bench.endOf(definition, id)).toMatchObject({ phase: "succeeded", counts: { rewritten: 1, alreadyCurrent: 2 } });
  expect(await bench.storedAs(definition)).toEqual({ v1: 3 });
});

// With the list as it was at the run's start (isExpected in withdraw-evidence.ts) a kill -9 would leave "current" and no doubt.
test("an object that it left behind is in doubt before it is counted: the list is shortened already", async () => {
  const history = await etcdHistory(cluster.etcd);
  const definition = await bench.stale(2);
  const { id } = await bench.start(definition, { engine: "in-tree", acceptUnseen: true });
  await expect.poll(inTree.names, { timeout: 20_000 }).toContain(migrationOf(id));
  await inTree.say(migrationOf(id), { type: "Running" });
  await api.mergePatch(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.name}/status`, {
    status: { storedVersions: ["v1"] },
  });
  await inTree.say(migrationOf(id), { type: "Running", status: "False" }, { type: "Succeeded" });
  expect(await bench.endOf(definition, id)).toMatchObject({ phase: "succeeded", counts: { rewritten: 2 } });
  const values = (await history.changes()).filter(({ key, text }) => text !== null && key.endsWith(`/${definition.name}`));
  const records = values.map(({ text }) => recordIn(JSON.parse(text ?? "") as DefinitionJson));
  expect(records).toContainEqual(
    expect.objectContaining({ doubt: { rejected: 0 }, runs: [expect.objectContaining({ id, endedAt: null })] }),
  );
  expect(records.at(-1)).toMatchObject({ doubt: null, proof: { runId: id } });
});

test("a migration that no controller picks up within 30 s is deleted, so that none does later", async () => {
  const definition = await bench.stale(1);
  const { id } = await bench.start(definition, { engine: "in-tree", acceptUnseen: true });
  await expect.poll(inTree.names, { timeout: 20_000 }).toContain(migrationOf(id));
  const waiting = performance.now();

  const end = await bench.endOf(definition, id);

  // It may have been there for some time when it was first seen.
  expect(performance.now() - waiting).toBeGreaterThan(20_000);
  expect(end).toMatchObject({ phase: "failed", statusReason: expect.stringContaining("No controller picked") });
  expect(await inTree.names()).not.toContain(migrationOf(id));
  expect(await bench.storedAs(definition)).toEqual({ v1beta1: 1 });
});

// Without hasTriedAll (check-losses.ts) the migration is created, and its controller drops the notes.
test("a sampled dry run whose one path was accepted doesn't let the cluster's own engine drop another", async () => {
  const properties = { note: { type: "string" }, trivial: { type: "string" } };
  const versions = (storage: string) => [
    { name: "v1", storage: storage === "v1", properties: {} },
    { name: "v1beta1", storage: storage === "v1beta1", properties },
  ];
  const definition = await bench.define(versions("v1beta1"));
  await definition.createObjects("v1beta1", 20, (index) => ({ trivial: "x", ...(index === 0 && { note: "precious" }) }));
  await bench.flip(definition, versions("v1"));
  let tried = await bench.dryRun(definition, { sampleSize: 1 });
  for (let again = 0; tried.losses.length > 1 && again < 20; again += 1) tried = await bench.dryRun(definition, { sampleSize: 1 });
  expect(tried.losses.map(({ path }) => path)).toEqual(["spec.trivial"]);

  const { id } = await bench.start(definition, { engine: "in-tree", acceptLosses: true, dryRun: tried.id });

  expect(await bench.endOf(definition, id)).toMatchObject({
    phase: "unproven",
    heldBackBecause: expect.stringContaining("spec.note would be dropped in 1 object"),
  });
  expect(await inTree.names()).not.toContain(migrationOf(id));
  expect(await bench.storedAs(definition)).toEqual({ v1beta1: 20 });
});

const wouldDrop = "drop fields that only the storage version";

// Without refuseDelegation (start-rewrite.ts) the engine writes as v1, and all notes are gone; see in-tree-hazards.
test("nothing is delegated if discovery prefers another version than the storage version", async () => {
  const definition = await bench.define(prefersOther("v1alpha1"));
  await definition.createObjects("v1alpha1", 2, () => ({ note: "precious" }));
  await bench.flip(definition, prefersOther("v1beta1"));
  const refusal = {
    code: "precondition_failed",
    message: expect.stringContaining(wouldDrop),
    nextStep: expect.stringContaining("v1beta1"),
  };
  await expect(bench.start(definition, { engine: "in-tree", acceptUnseen: true })).rejects.toMatchObject(refusal);
  expect((await definition.read()).metadata.annotations).toBeUndefined();
  expect(await bench.rewrite(definition)).toMatchObject({ phase: "succeeded", counts: { rewritten: 2 } });
  expect([...(await definition.storedValues(cluster.etcd)).values()].filter(({ text }) => text.includes("precious"))).toHaveLength(2);
});

// Without refuseDelegation (resume-rewrite.ts) a change of the storage version during the interruption is not noticed.
test("nor by a run that is resumed after such a change", async () => {
  const definition = await bench.define(prefersOther("v1"));
  await definition.createObjects("v1", 1, () => ({ size: 1 }));
  const { id } = await bench.start(definition, { engine: "in-tree", acceptUnseen: true });
  await expect.poll(inTree.names, { timeout: 20_000 }).toContain(migrationName(id, 1));
  await stopAllRuns();
  await bench.flip(definition, prefersOther("v1beta1"));
  const resumed = resumeRewrite(bench.connection, definition.name, id, { settleSeconds: 0, signal: soon() });
  await expect(resumed).rejects.toMatchObject({ code: "precondition_failed", message: expect.stringContaining(wouldDrop) });
  await api.delete(`/apis/storagemigration.k8s.io/v1/storageversionmigrations/${migrationName(id, 1)}`);
});

// Without delegationRefusal's look at the conversion, the engine writes from what another API server has in its cache, and loses fields there.
test("nor while a webhook converts its objects, unless losses are accepted unseen", async () => {
  const definition = await bench.stale(1, { conversion: await conversionWebhook((object, apiVersion) => ({ ...object, apiVersion })) });
  const refused = { code: "precondition_failed", message: expect.stringContaining("as the conversion webhook converted them earlier") };
  await expect(bench.start(definition, { engine: "in-tree" })).rejects.toMatchObject(refused);
  const { id } = await bench.start(definition, { engine: "in-tree", acceptUnseen: true });
  await expect.poll(inTree.names, { timeout: 20_000 }).toContain(migrationOf(id));
  await cancelRewrite(bench.connection, definition.name, id, soon());
});

// Without discovered (delegate-rewrite.ts) only the names of the versions count, and the migration is created.
test("nor if an APIService gives the versions another order", async () => {
  const definition = await bench.stale(1);
  const services = "/apis/apiregistration.k8s.io/v1/apiservices";
  const service = `${services}/v1beta1.${definition.group}`;
  // Without the label, the API server leaves it as it is.
  await api.mergePatch(service, {
    metadata: { labels: { "kube-aggregator.kubernetes.io/automanaged": null } },
    spec: { versionPriority: 200 },
  });
  onTestFinished(async () => void (await api.delete(service)));
  const preferred = async () => (await api.get<{ versions: { version: string }[] }>(`/apis/${definition.group}`)).versions[0]?.version;
  await expect.poll(preferred, { timeout: 30_000 }).toBe("v1beta1");
  const run = await bench.rewrite(definition, { engine: "in-tree" });
  expect(run).toMatchObject({ phase: "failed", statusReason: expect.stringContaining(wouldDrop), delegation: { phase: null } });
  expect(await inTree.names()).not.toContain(migrationOf(run.id));
});

// Without requireNoMutatingAdmission (check-losses.ts) a dry run is believed, whatever that webhook makes of kube-controller-manager's
// writes.
test("nothing is delegated while something may change objects: it is refused before the dry run, by name", {
  timeout: 60_000,
}, async () => {
  const definition = await bench.stale(3);
  await removeNotes(api, definition);
  const { id } = await bench.start(definition, { engine: "in-tree" });
  const run = await bench.endOf(definition, id);
  expect(run).toMatchObject({ phase: "unproven", dryRun: null, delegation: { phase: null, left: null } });
  expect(run.heldBackBecause).toMatch(/the mutating webhook notes\..* may change objects.*Rewrite with crdshift's own engine/);
  expect(await inTree.names()).not.toContain(migrationOf(id));
  // A dry run of all objects is not believed either.
  expect(await bench.dryRun(definition)).toMatchObject({ losses: [], lossesKnown: true, dryRun: { checked: 3 } });
  expect(await bench.rewrite(definition, { engine: "in-tree" })).toMatchObject({ phase: "unproven", heldBackBecause: run.heldBackBecause });
  expect(await bench.rewrite(definition)).toMatchObject({ phase: "succeeded", counts: { rewritten: 3 } });
});

// Without the comparison in createMigration (in-tree-migration.ts) the stranger's is taken for the run's own, and deleted after 30 s.
test("another migration with the run's name is not mistaken for the run's, nor deleted", async () => {
  const definition = await bench.stale(1);
  // It settles for some seconds before it creates its own.
  const options = { engine: "in-tree", acceptUnseen: true, settleSeconds: 5, signal: soon() } as const;
  const { id } = await startRewrite(bench.connection, definition.name, options);
  await inTree.create(migrationOf(id), { group: "elsewhere.example.com", plural: "widgets" });

  expect(await bench.endOf(definition, id)).toMatchObject({
    phase: "failed",
    statusReason: expect.stringContaining("doesn't belong to this rewrite"),
  });
  expect(await inTree.names()).toContain(migrationOf(id));
});

test("a migration that vanishes ends the run, and nothing is proven", async () => {
  const definition = await bench.stale(1);
  const { id } = await bench.start(definition, { engine: "in-tree", acceptUnseen: true });
  await expect.poll(inTree.names, { timeout: 20_000 }).toContain(migrationOf(id));
  await inTree.say(migrationOf(id), { type: "Running" });
  await api.delete(`/apis/storagemigration.k8s.io/v1/storageversionmigrations/${migrationOf(id)}`);

  expect(await bench.endOf(definition, id)).toMatchObject({
    phase: "failed",
    statusReason: expect.stringContaining("was deleted; its controller"),
  });
});

test("options of crdshift's own engine are refused for another engine", async () => {
  const definition = await bench.stale(1);
  const asked = bench.start(definition, { engine: "in-tree", maxPerSecond: 5, keepOwnership: true });
  await expect(asked).rejects.toMatchObject({ code: "invalid_input", message: expect.stringContaining("maxPerSecond, keepOwnership") });
});

test("OpenShift's migrations are seen, and not interfered with", async () => {
  const definition = await bench.stale(1);
  await openshift.create("their-own", definition);
  await openshift.say("their-own", { type: "Running" });

  await expect(bench.start(definition)).rejects.toThrow("OpenShift's StorageVersionMigration their-own is running.");
  const detail = () => readDetail(bench.connection, definition.name, soon());
  await expect.poll(async () => (await detail()).state, { timeout: 20_000 }).toBe("rewriting");
  const theirs = [{ engine: "openshift", name: "their-own", phase: "running", runId: null }];
  await expect.poll(async () => (await detail()).migrations).toMatchObject(theirs);

  await openshift.say("their-own", { type: "Succeeded" });
  await expect.poll(async () => (await detail()).state, { timeout: 20_000 }).toBe("needs-rewrite");
  const { items } = await listMigrations(bench.connection, soon());
  expect(items.map(({ engine }) => engine)).toContain("openshift");
});

// With the list cut after so many, in the order of their names, the one at work passed for deleted, and a rewrite began beside it.
test("an active migration is found behind two thousand others, also by a new client", async () => {
  const definition = await bench.stale(1);
  const names = Array.from({ length: 2_001 }, (_, index) => `a-${index}`);
  await forEachConcurrently(names, { concurrency: 24, signal: AbortSignal.timeout(120_000) }, (name) =>
    openshift.create(name, { group: "none.example.com", plural: "widgets" }),
  );
  await openshift.create("zzz-at-work", definition);
  await openshift.say("zzz-at-work", { type: "Running" });

  await expect(bench.start(definition)).rejects.toThrow("OpenShift's StorageVersionMigration zzz-at-work is running.");
  const newcomer = fleetOf({ ...bench.connection });
  onTestFinished(() => newcomer.stop());
  await newcomer.listed(soon());
  await newcomer.lookedForMigrations(soon());
  expect(newcomer.crd(definition.name)?.migrations).toMatchObject([{ name: "zzz-at-work", phase: "running" }]);
  const shown = await readMigrationList(bench.connection, soon());
  expect(shown.items).toContainEqual(expect.objectContaining({ name: "zzz-at-work" }));
  expect(shown).toMatchObject({ items: { length: 500 }, more: expect.any(Number) });
});

/** v1 is preferred, and lacks a field. */
function prefersOther(storage: "v1" | "v1alpha1" | "v1beta1"): SampleVersion[] {
  const size = { type: "integer" };
  const both = { size, note: { type: "string" } };
  return [
    { name: "v1", storage: storage === "v1", properties: { size } },
    { name: "v1alpha1", storage: storage === "v1alpha1", properties: both },
    { name: "v1beta1", storage: storage === "v1beta1", properties: both },
  ];
}

/** The name of a run's migration: the definitions of these tests are all at their second generation. */
function migrationOf(runId: string): string {
  return migrationName(runId, 2);
}
