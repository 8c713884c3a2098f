import { expect, onTestFinished, test } from "vitest";
import { connect } from "#lib/cluster/connection/connect.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { findMigrationApi } from "#lib/cluster/migrations/migration-apis.ts";
import { chooseContexts } from "#lib/cluster/testing/choose-contexts.ts";
import { faultProxy, type Match } from "#lib/cluster/testing/fault-proxy.ts";
import { standInMigrations } from "#lib/cluster/testing/stand-in-migrations.ts";
import { DELEGATE } from "#lib/domain/rewrite/engines.ts";
import { migrationName } from "#lib/domain/rewrite/migration.ts";
import { cancelRewrite } from "#lib/rewrite/commands/cancel-rewrite.ts";
import { resumeRewrite } from "#lib/rewrite/commands/resume-rewrite.ts";
import { startRewrite } from "#lib/rewrite/commands/start-rewrite.ts";
import { stopAllRuns } from "#lib/rewrite/run/running.ts";
import { benchOn, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { ownCluster } from "#lib/rewrite/testing/clusters/own-cluster.ts";
import { holdElsewhere, readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";
import { removeNotes } from "#lib/rewrite/testing/webhooks/remove-notes.ts";

// A delegated run while the API server that answers doesn't serve migrations, as an older release wouldn't.

const { cluster, api } = await ownCluster();
const inTree = await standInMigrations(api, "storagemigration.k8s.io", "v1");
const PATIENT = { timeout: 30_000 };

// Without mayHaveMigration (leave-now.ts) its end says that a migration may continue, and so does the rewrite that takes its place.
test("one that is cancelled before it asks for a migration says nothing of one", async () => {
  const { bench, stopServing } = await benchBehindProxy();
  const definition = await bench.stale(3);
  const { id } = await startRewrite(bench.connection, definition.name, { engine: "in-tree", settleSeconds: 2, signal: soon() });
  stopServing();
  await expect.poll(async () => (await bench.run(definition, id)).statusReason, PATIENT).toContain("doesn't serve storagemigration.k8s.io");
  await cancelRewrite(bench.connection, definition.name, id, soon());
  expect(await bench.endOf(definition, id)).toMatchObject({ phase: "cancelled", delegation: { phase: null, left: null } });
});

// With mayHaveMigration false where a run begins (run-rewrite.ts) it ends without a word, beside a migration that is pending.
test("one that is resumed, and ends before it comes to its migration, says that it can't read it", async () => {
  const { bench, stopServing } = await benchBehindProxy();
  const definition = await bench.stale(3);
  const { id } = await bench.start(definition, { engine: "in-tree" });
  const migration = migrationName(id, 2);
  await expect.poll(inTree.names, PATIENT).toContain(migration);
  await stopAllRuns();
  const [{ delegation } = { delegation: null }] = (await readRecord(definition)).runs;
  if (!delegation) throw new Error("The run wasn't delegated.");
  // As its record is until the first renewal.
  const renewedAt = new Date(Date.now() - 46_000).toISOString();
  await holdElsewhere(api, definition, { delegation: { ...delegation, phase: null }, phase: "rewriting", endedAt: null, renewedAt });
  await removeNotes(api, definition);
  stopServing();
  await resumeRewrite(bench.connection, definition.name, id, { settleSeconds: 0, signal: soon() });
  const left = `crdshift can no longer read ${migration}; it may continue on its own.`;
  expect(await bench.endOf(definition, id)).toMatchObject({ phase: "unproven", delegation: { phase: null, left } });
  expect(await inTree.names()).toContain(migration);
});

// Without wasServedLately (check-delegation.ts) it is refused as on a cluster that never serves them.
test("none starts, and is told what to do if the API is gone for good", async () => {
  const { bench, stopServing } = await benchBehindProxy();
  const definition = await bench.stale(3);
  expect(await findMigrationApi(bench.connection, DELEGATE, soon())).toBe("v1");
  stopServing();
  await expect(bench.start(definition, { engine: "in-tree" })).rejects.toMatchObject({
    code: "cluster_unreachable",
    nextStep: expect.stringContaining("If they no longer serve it, rewrite with crdshift's own engine."),
  });
});

async function benchBehindProxy() {
  const proxy = await faultProxy(cluster);
  const name = `unserved ${proxy.server}`;
  await chooseContexts(cluster, { name, server: proxy.server });
  const connection = await connect(name);
  onTestFinished(() => fleetOf(connection).stop());
  onTestFinished(stopAllRuns);
  const isMigrations: Match = ({ path }) => path.startsWith("/apis/storagemigration.k8s.io");
  const stopServing = () =>
    proxy.inject(isMigrations, { kind: "answer", status: 404, body: "404 page not found" }, Number.POSITIVE_INFINITY);
  return { bench: benchOn(cluster, api, connection), stopServing };
}
