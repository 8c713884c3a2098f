import { expect, onTestFinished, test } from "vitest";
import { connect } from "#lib/cluster/connection/connect.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { chooseContexts } from "#lib/cluster/testing/choose-contexts.ts";
import { type FaultProxy, faultProxy, type Match } from "#lib/cluster/testing/fault-proxy.ts";
import { restrictedUser } from "#lib/cluster/testing/restricted-user.ts";
import { standInMigrations } from "#lib/cluster/testing/stand-in-migrations.ts";
import { migrationName } from "#lib/domain/rewrite/migration.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { stopAllRuns } from "#lib/rewrite/run/running.ts";
import { benchOn } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { tellRun } from "#lib/rewrite/testing/bench/tell-run.ts";
import type { TestBench } from "#lib/rewrite/testing/bench/test-bench.ts";
import { ownCluster } from "#lib/rewrite/testing/clusters/own-cluster.ts";
import { removeNotes } from "#lib/rewrite/testing/webhooks/remove-notes.ts";

// A mutating webhook that is installed after the dry run of a delegated rewrite. The test does what the engine's controller would.

const LONG_MS = 120_000;
const OBJECTS = 3;
const WEBHOOK = "mutating webhooks or policies were added, edited, or removed";

const { cluster, api } = await ownCluster();
const inTree = await standInMigrations(api, "storagemigration.k8s.io", "v1");

// With a dry run from before the settle wait (work of run-rewrite.ts) nobody sees what that webhook takes.
test("installed during the settle wait: the dry run sees what would be lost, and nothing is created", { timeout: LONG_MS }, async () => {
  const { proxy, run, notes } = await installedAt(discoveryOf(({ group }) => `/apis/${group}/v1`));
  expect(run).toMatchObject({
    phase: "unproven",
    heldBackBecause: expect.stringContaining("It rewrote nothing: spec.note would be dropped in 3 objects."),
    delegation: { phase: null, left: null },
  });
  expect(proxy.seen.filter(isCreation)).toEqual([]);
  expect(await notes()).toBe(OBJECTS);
});

// Without holds (delegate-rewrite.ts) before createMigration, the migration is there for a controller to take.
test("installed after the dry run: nothing is created", { timeout: LONG_MS }, async () => {
  const { proxy, run, notes } = await installedAt(discoveryOf(({ group }) => `/apis/${group}`));
  expect(run).toMatchObject({
    phase: "unproven",
    heldBackBecause: expect.stringContaining(WEBHOOK),
    delegation: { phase: null, left: null },
  });
  expect(proxy.seen.filter(isCreation)).toEqual([]);
  expect(await notes()).toBe(OBJECTS);
});

// Without leaveIfOutdated (create-and-wait.ts) nobody looks again before a controller takes it.
test("installed while the migration is created: it is deleted before a controller takes it", { timeout: LONG_MS }, async () => {
  const { proxy, run, notes } = await installedAt(() => isCreation);
  expect(run).toMatchObject({
    ...{ phase: "unproven", heldBackBecause: expect.stringContaining(WEBHOOK) },
    delegation: { phase: null, left: expect.stringContaining("was deleted before any controller picked it up") },
  });
  expect(run.statusReason).not.toContain("may have lost fields");
  expect(proxy.seen.filter(isCreation)).toHaveLength(1);
  expect(await inTree.names()).not.toContain(migrationName(run.id, 2));
  expect(await notes()).toBe(OBJECTS);
});

// Without the watch (createAndWait in create-and-wait.ts) the run ends proven without a word.
test("installed while the engine is at work, which can't be stopped: the run's end tells", { timeout: LONG_MS }, async () => {
  const { bench } = await benchBehindProxy();
  const definition = await bench.stale(OBJECTS, { spec: () => ({ note: "precious" }) });
  const { id } = await bench.start(definition, { engine: "in-tree" });
  const migration = migrationName(id, 2);
  await expect.poll(inTree.names, { timeout: 30_000 }).toContain(migration);
  await inTree.say(migration, { type: "Running" });
  const phase = async () => (await bench.run(definition, id)).delegation?.phase;
  await expect.poll(phase, { timeout: 30_000 }).toBe("running");
  await removeNotes(api, definition);
  for (let index = 0; index < OBJECTS; index += 1) await api.mergePatch(definition.path("v1", { name: objectName(index) }), {});
  await inTree.say(migration, { type: "Running", status: "False" }, { type: "Succeeded" });
  expect(await bench.endOf(definition, id)).toMatchObject({
    phase: "succeeded",
    statusReason: expect.stringContaining("those written since then may have lost fields."),
  });
});

// Without requireNoMutatingAdmission (check-losses.ts) it tries every object and settles, and is refused only then. With Promise.all in it,
// the denial that comes first is told, which here is that of the policies.
test("without the right to read what mutates, it is refused before the dry run, and losses may be accepted unseen", {
  timeout: LONG_MS,
}, async () => {
  const definition = await (await benchBehindProxy()).bench.stale(OBJECTS);
  const { token } = await restrictedUser(api, [
    {
      apiGroups: ["apiextensions.k8s.io"],
      resources: ["customresourcedefinitions", "customresourcedefinitions/status"],
      verbs: ["get", "list", "watch", "patch"],
    },
    { apiGroups: [definition.group], resources: [definition.plural], verbs: ["get", "list", "patch"] },
    { apiGroups: ["storagemigration.k8s.io"], resources: ["storageversionmigrations"], verbs: ["get", "list", "create", "delete"] },
  ]);
  const { proxy, bench } = await benchBehindProxy(token);
  proxy.inject(isWebhooks, { kind: "delay", ms: 300 });
  const run = await bench.rewrite(definition, { engine: "in-tree" });
  expect(run).toMatchObject({
    phase: "unproven",
    statusReason: expect.stringMatching(
      /cannot list resource "mutatingwebhookconfigurations".* at the cluster scope\. Ask .* or accept losses unseen\.$/,
    ),
    delegation: { phase: null, left: null },
  });
  expect(run.heldBackBecause).toBe(run.statusReason);
  expect(proxy.seen.filter(({ path }) => path.includes("dryRun=All"))).toEqual([]);

  const { id } = await bench.start(definition, { engine: "in-tree", acceptUnseen: true });
  const migration = migrationName(id, 2);
  await expect.poll(inTree.names, { timeout: 30_000 }).toContain(migration);
  await inTree.say(migration, { type: "Succeeded" });
  expect(await bench.endOf(definition, id)).toMatchObject({ phase: "succeeded", counts: { rewritten: OBJECTS } });
});

// Without leaveNow (run-rewrite.ts) only a run that waits for its migration deletes it: here a controller would still take it.
test("a resumed run that is cancelled before it looks at its migration leaves none to a controller", { timeout: LONG_MS }, async () => {
  const { proxy, bench } = await benchBehindProxy();
  const definition = await bench.stale(OBJECTS);
  const run = await bench.start(definition, { engine: "in-tree" });
  const migration = migrationName(run.id, 2);
  await expect.poll(inTree.names, { timeout: 30_000 }).toContain(migration);
  await expect.poll(async () => (await bench.run(definition, run.id)).delegation?.phase).toBe("pending");
  await stopAllRuns();
  const { reached } = proxy.hold(isWebhooks, "before", Number.POSITIVE_INFINITY);
  await tellRun(bench.connection).resume(run);
  await reached;
  expect(await tellRun(bench.connection).cancel(run)).toMatchObject({
    phase: "cancelled",
    delegation: { phase: null, left: expect.stringContaining("was deleted before any controller picked it up") },
  });
  expect(await inTree.names()).not.toContain(migration);
});

const discoveryOf =
  (pathOf: (definition: SampleDefinition) => string) =>
  (definition: SampleDefinition): Match =>
  ({ path }) =>
    path.split("?")[0] === pathOf(definition);
const isCreation: Match = ({ method, path }) => method === "POST" && path.includes("/storageversionmigrations");
const isWebhooks: Match = ({ path }) => path.includes("/mutatingwebhookconfigurations");

/** A delegated run, during which a webhook that takes the notes is installed while the first request that matches is held. */
async function installedAt(
  match: (definition: SampleDefinition) => Match,
): Promise<{ proxy: FaultProxy; run: Run; notes: () => Promise<number> }> {
  const { proxy, bench } = await benchBehindProxy();
  const definition = await bench.stale(OBJECTS, { spec: () => ({ note: "precious" }) });
  const held = proxy.hold(match(definition), "before", Number.POSITIVE_INFINITY);
  const { id } = await bench.start(definition, { engine: "in-tree" });
  await held.reached;
  await removeNotes(api, definition);
  held.release();
  const run = await bench.endOf(definition, id);
  const notes = async () =>
    [...(await definition.storedValues(cluster.etcd)).values()].filter(({ text }) => text.includes("precious")).length;
  return { proxy, run, notes };
}

async function benchBehindProxy(token?: string): Promise<{ proxy: FaultProxy; bench: TestBench }> {
  const proxy = await faultProxy(cluster);
  const name = `delegating ${proxy.server}`;
  await chooseContexts(cluster, { name, server: proxy.server, ...(token && { token }) });
  const connection = await connect(name);
  onTestFinished(() => fleetOf(connection).stop());
  onTestFinished(stopAllRuns);
  return { proxy, bench: benchOn(cluster, api, connection) };
}
