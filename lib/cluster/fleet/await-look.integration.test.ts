import { expect, onTestFinished, test, vi } from "vitest";
import { connect } from "#lib/cluster/connection/connect.ts";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { chooseContexts } from "#lib/cluster/testing/choose-contexts.ts";
import { faultProxy } from "#lib/cluster/testing/fault-proxy.ts";
import { fleetTest, untilFinished } from "#lib/cluster/testing/fleet-test.ts";
import { openWorkerCluster } from "#lib/cluster/testing/open-worker-cluster.ts";
import { standInMigrations } from "#lib/cluster/testing/stand-in-migrations.ts";
import { ApiError } from "#lib/local-cluster/api-client.ts";
import { fleetOf } from "./fleet-of.ts";
import { listSummaries } from "./list-summaries.ts";

const { cluster, api } = openWorkerCluster();
const { definitionWithObjects } = fleetTest(cluster, api);
const soon = () => AbortSignal.timeout(30_000);

const isNotFound = (error: unknown) => error instanceof ApiError && error.status === 404;

/** A definition that OpenShift's engine migrates, and what crdshift reaches its cluster through. */
async function migrating() {
  const definition = await definitionWithObjects(1);
  const migrations = await standInMigrations(api, "migration.k8s.io", "v1alpha1");
  onTestFinished(async () => {
    const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/storageversionmigrations.migration.k8s.io";
    await api.delete(path);
    // The next test creates it again.
    await vi.waitUntil(() => api.get(path).then(() => false, isNotFound), { timeout: 30_000 });
  });
  await migrations.create("someone-elses", definition);
  await migrations.say("someone-elses", { type: "Running" });
  const proxy = await faultProxy(cluster);
  await chooseContexts(cluster, { name: "proxied", server: proxy.server });
  return { ...definition, proxy };
}

const isOfEngine = ({ path }: { path: string }) => path.startsWith("/apis/migration.k8s.io");

// Without awaitLook (read-detail.ts, list-summaries.ts) the first answer says "current", and that there are no migrations.
test("the first answer of a fresh fleet has the migration that another engine is running", { timeout: 60_000 }, async () => {
  const { name, proxy } = await migrating();
  proxy.inject(isOfEngine, { kind: "delay", ms: 200 });
  const detail = untilFinished(await connect("proxied"));
  expect(await readDetail(detail, name, soon())).toMatchObject({
    ...{ state: "rewriting", migrations: [{ engine: "openshift", name: "someone-elses", phase: "running" }] },
    otherEngines: { openshift: { api: { status: "served" }, asOf: expect.any(String) } },
  });
  fleetOf(detail).stop();
  const { items } = await listSummaries(detail, soon());
  expect(items.find((crd) => crd.name === name)).toMatchObject({ state: "rewriting" });
});

// Without AbortSignal.timeout (await-look.ts) an engine's API that never answers keeps everyone from the definitions.
test("an engine that doesn't answer holds nobody up for long, and counts as not read", { timeout: 60_000 }, async () => {
  const { name, proxy } = await migrating();
  proxy.inject(isOfEngine, { kind: "hang" });
  const connection = untilFinished(await connect("proxied"));
  const began = performance.now();
  const { state, migrations, otherEngines } = await readDetail(connection, name, soon());
  expect(performance.now() - began).toBeLessThan(8_000);
  expect([state, migrations, otherEngines.openshift]).toEqual(["current", [], { api: null, asOf: null }]);
});

// Without unread (keep-migrations.ts) the migrations of minutes ago pass for those of now, and a current definition for one left alone.
test("an engine that answered before nobody asked for a while, and doesn't now, counts as not read", { timeout: 60_000 }, async () => {
  const { name, proxy } = await migrating();
  const connection = untilFinished(await connect("proxied"));
  const { otherEngines: before } = await readDetail(connection, name, soon());
  expect(before.openshift.api).toMatchObject({ status: "served" });
  proxy.inject(isOfEngine, { kind: "hang" });
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + 5 * 60_000);
  onTestFinished(() => clock.mockRestore());
  const { migrations, otherEngines } = await readDetail(connection, name, soon());
  expect(migrations).toMatchObject([{ name: "someone-elses" }]);
  expect(otherEngines.openshift).toEqual({ api: null, asOf: before.openshift.asOf });
});
