import { afterAll, expect, onTestFinished, test } from "vitest";
import { connect } from "#lib/cluster/connection/connect.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { readHistory } from "#lib/cluster/history/read-history.ts";
import { standInMigrations } from "#lib/cluster/testing/stand-in-migrations.ts";
import { migrationName } from "#lib/domain/rewrite/migration.ts";
import { untilRecorded } from "#lib/rewrite/record/record-action.ts";
import { controlOf } from "#lib/rewrite/run/running.ts";
import { benchOn, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { ownCluster } from "#lib/rewrite/testing/clusters/own-cluster.ts";
import { chooseKubeconfig } from "#lib/settings/env.ts";

// Someone replaces the annotations of a definition while a delegated run waits for its migration.

const { cluster, api } = await ownCluster();
chooseKubeconfig(cluster.kubeconfig);
const bench = benchOn(cluster, api, await connect(cluster.context));
const inTree = await standInMigrations(api, "storagemigration.k8s.io", "v1");
afterAll(() => fleetOf(bench.connection).stop());

// With leaveNow (work of run-rewrite.ts) not for "lost", a controller picks the migration up later, perhaps once a webhook mutates objects,
// and nothing checks or tells what it writes.
test("the pending migration of a run whose record is removed is deleted, and an Event says so", async () => {
  const { migration, lose } = await delegated("pending");
  expect(await lose()).toContain(`${migration} was deleted before any controller picked it up.`);
  expect(await inTree.names()).not.toContain(migration);
});

// Without delegation.left (tell-lost.ts) nobody learns that the engine goes on.
test("of a running one, the Event says that it can't be stopped", async () => {
  const { migration, lose } = await delegated("running");
  expect(await lose()).toContain(`The cluster's own engine can't be stopped: ${migration} continues`);
  expect(await inTree.names()).toContain(migration);
});

/** A delegated run whose migration is in that phase. `lose` removes its record and returns what is told of its end. */
async function delegated(phase: "pending" | "running") {
  onTestFinished(fleetOf(bench.connection).subscribe(() => {}));
  const definition = await bench.stale(3);
  const { id } = await bench.start(definition, { engine: "in-tree" });
  const migration = migrationName(id, 2);
  await expect.poll(inTree.names).toContain(migration);
  if (phase === "running") await inTree.say(migration, { type: "Running" });
  await expect.poll(async () => (await bench.run(definition, id)).delegation?.phase).toBe(phase);
  const lose = async () => {
    await api.mergePatch(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.name}`, {
      metadata: { annotations: { "crdshift.dev/rewrite": null } },
    });
    await expect.poll(() => controlOf({ crd: definition.name, id }), { timeout: 30_000 }).toBeNull();
    await untilRecorded();
    const { items } = await readHistory(bench.connection, definition.name, soon());
    return items.find(({ kind }) => kind === "failed")?.message;
  };
  return { migration, lose };
}
