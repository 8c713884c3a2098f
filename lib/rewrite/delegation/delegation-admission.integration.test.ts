import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { connect } from "#lib/cluster/connection/connection.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet.ts";
import { chooseContexts } from "#lib/cluster/testing/choose-contexts.ts";
import { type FaultProxy, faultProxy, type Match } from "#lib/cluster/testing/fault-proxy.ts";
import { type StandInMigrations, standInMigrations } from "#lib/cluster/testing/stand-in-migrations.ts";
import { migrationName } from "#lib/domain/rewrite/migration.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import { type ApiClient, apiClient } from "#lib/local-cluster/api-client.ts";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { type LocalCluster, startLocalCluster } from "#lib/local-cluster/start-local-cluster.ts";
import { stopAllRuns } from "#lib/rewrite/run/running.ts";
import type { Bench } from "#lib/rewrite/testing/bench.ts";
import { removeNotes } from "#lib/rewrite/testing/remove-notes.ts";
import { benchOn } from "#lib/rewrite/testing/test-cluster.ts";

// A mutating webhook that is installed after the dry run of a delegated rewrite. The test does what the engine's controller would.

const LONG_MS = 120_000;
const OBJECTS = 3;
const WEBHOOK = "mutating webhooks or policies were added, edited, or removed";

let cluster: LocalCluster;
let api: ApiClient;
let inTree: StandInMigrations;

beforeAll(async () => {
  cluster = await startLocalCluster();
  api = apiClient(cluster);
  inTree = await standInMigrations(api, "storagemigration.k8s.io", "v1");
});

afterAll(async () => {
  await stopAllRuns();
  api.close();
  await cluster.stop();
});

// Without holds (untilMigrated in delegate-rewrite.ts) before createMigration, the migration is there for a controller to take.
test("installed during the settle wait: nothing is created", { timeout: LONG_MS }, async () => {
  const discovery =
    ({ group }: SampleDefinition): Match =>
    ({ path }) =>
      path.split("?")[0] === `/apis/${group}/v1`;
  const { proxy, run, notes } = await installedAt(discovery);
  expect(run).toMatchObject({
    phase: "unproven",
    heldBackBecause: expect.stringContaining(WEBHOOK),
    delegation: { phase: null, left: null },
  });
  expect(proxy.seen.filter(isCreation)).toEqual([]);
  expect(await notes()).toBe(OBJECTS);
});

// Without leaveIfOutdated (delegate-rewrite.ts) nobody looks again before a controller takes it.
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

// Without the watch (createAndWait in delegate-rewrite.ts) the run ends proven without a word.
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
    statusReason: expect.stringContaining("what it wrote from then on may have lost fields."),
  });
});

const isCreation: Match = ({ method, path }) => method === "POST" && path.includes("/storageversionmigrations");

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

async function benchBehindProxy(): Promise<{ proxy: FaultProxy; bench: Bench }> {
  const proxy = await faultProxy(cluster);
  const name = `delegating ${proxy.server}`;
  await chooseContexts(cluster, { name, server: proxy.server });
  const connection = await connect(name);
  onTestFinished(() => fleetOf(connection).stop());
  onTestFinished(stopAllRuns);
  return { proxy, bench: benchOn(cluster, api, connection) };
}
