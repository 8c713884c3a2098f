import { expect, onTestFinished, test } from "vitest";
import { connect, contextsFor } from "#lib/cluster/connection/connect.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { readRun } from "#lib/cluster/history/read-runs.ts";
import { restrictedUser } from "#lib/cluster/testing/restricted-user.ts";
import { standInMigrations } from "#lib/cluster/testing/stand-in-migrations.ts";
import { migrationName } from "#lib/domain/rewrite/migration.ts";
import { apiClient } from "#lib/local-cluster/api-client.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { type LocalCluster, startLocalCluster } from "#lib/local-cluster/start-local-cluster.ts";
import { cancelRewrite } from "#lib/rewrite/commands/cancel-rewrite.ts";
import { startRewrite } from "#lib/rewrite/commands/start-rewrite.ts";
import { findDryRun } from "#lib/rewrite/dry-run/dry-runs.ts";
import { startDryRun } from "#lib/rewrite/dry-run/start-dry-run.ts";
import { stopAllRuns } from "#lib/rewrite/run/running.ts";
import { underFaults } from "#lib/rewrite/testing/bench/fault-test.ts";
import { benchOn, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import type { TestBench } from "#lib/rewrite/testing/bench/test-bench.ts";
import { chooseKubeconfig } from "#lib/settings/env.ts";

// The rights of system:masters, which all other tests use, hold from an API server's first moment; a role's do not.

const OBJECTS = 1_500;
const KILLS = 3;
const REACHED = /can't be reached|can't respond|denies what it granted/;

/** Kills the API server and starts it, once something has told so. */
async function restart({ apiServer }: LocalCluster, because: () => Promise<string | null>) {
  await apiServer.kill();
  await expect.poll(because, { timeout: 30_000, interval: 20 }).toMatch(REACHED);
  await apiServer.start();
}

async function asUser({ api }: TestBench, { group }: SampleDefinition) {
  const definitions = ["customresourcedefinitions", "customresourcedefinitions/status"];
  const user = await restrictedUser(api, [
    { apiGroups: ["apiextensions.k8s.io"], resources: definitions, verbs: ["get", "list", "watch", "patch"] },
    { apiGroups: [group], resources: ["*"], verbs: ["get", "list", "patch"] },
    { apiGroups: ["storagemigration.k8s.io"], resources: ["*"], verbs: ["create", "get", "delete", "list"] },
    { apiGroups: ["admissionregistration.k8s.io"], resources: ["*"], verbs: ["get", "list"] },
    { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["get", "list"] },
    { apiGroups: [""], resources: ["events"], verbs: ["create", "list"] },
  ]);
  const credentials = { kind: "bearer", token: user.token } as const;
  const connection = await connect(contextsFor(credentials).current, credentials);
  onTestFinished(() => fleetOf(connection).stop());
  return connection;
}

// Without isEarlyDenial (classify-failure.ts), the first restart ends the run "failed".
test("the API server restarts again and again while a user's run settles: the run goes on", async () => {
  const own = await startLocalCluster();
  onTestFinished(own.stop);
  await underFaults(own, async (bench) => {
    const definition = await bench.stale(1);
    const connection = await asUser(bench, definition);
    const { id } = await startRewrite(connection, definition.name, { acceptUnseen: true, settleSeconds: 3_600, signal: soon() });
    const because = async () => (await readRun(connection, definition.name, id, soon())).statusReason;
    for (let kill = 1; kill <= KILLS; kill += 1) {
      await expect.poll(because, { timeout: 60_000 }).toContain("The spec changed less than");
      await restart(own, because);
    }
    await expect.poll(because, { timeout: 60_000 }).toContain("The spec changed less than");
    await cancelRewrite(connection, definition.name, id, soon());
  });
});

// Without isEarlyDenial (classify-failure.ts), two of three dry runs named an object that "would be rejected".
test("the API server restarts while a user's dry runs work: they name no object", async () => {
  const own = await startLocalCluster();
  onTestFinished(own.stop);
  await underFaults(own, async (bench) => {
    const definition = await bench.stale(OBJECTS);
    const connection = await asUser(bench, definition);
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const { id } = await startDryRun(connection, definition.name, { sampleSize: OBJECTS, signal: soon() });
      const now = () => findDryRun(connection.audience, definition.name, id).current;
      await expect.poll(() => now().dryRun.checked, { timeout: 30_000, interval: 20 }).toBeGreaterThan(100);
      await restart(own, async () => now().message);
      await expect.poll(() => now().phase, { timeout: 120_000 }).toBe("succeeded");
      expect(now()).toMatchObject({ dryRun: { wouldPass: OBJECTS, wouldBeRejected: 0 }, lossesKnown: true });
    }
  });
});

// Without isEarlyDenial (classify-failure.ts), the run ends "failed", and nobody watches the engine's migration.
test("the API server restarts while the cluster's own engine works for a user: the run goes on", async () => {
  const own = await startLocalCluster();
  onTestFinished(own.stop);
  // Not under faults: crdshift creates the migration.
  chooseKubeconfig(own.kubeconfig);
  const api = apiClient(own);
  onTestFinished(() => api.close());
  const bench = benchOn(own, api, await connect(own.context));
  onTestFinished(() => fleetOf(bench.connection).stop());
  onTestFinished(stopAllRuns);
  const inTree = await standInMigrations(api, "storagemigration.k8s.io", "v1");
  const definition = await bench.stale(3);
  const connection = await asUser(bench, definition);
  const options = { engine: "in-tree", acceptUnseen: true, settleSeconds: 0 } as const;
  const { id } = await startRewrite(connection, definition.name, { ...options, signal: soon() });
  const name = migrationName(id, (await definition.read()).metadata.generation);
  await expect.poll(inTree.names, { timeout: 20_000 }).toContain(name);
  await inTree.say(name, { type: "Running" });
  const now = () => readRun(connection, definition.name, id, soon());
  await expect.poll(async () => (await now()).delegation?.phase, { timeout: 20_000 }).toBe("running");
  await restart(own, async () => (await now()).statusReason);
  await expect.poll(async () => (await now()).statusReason ?? "", { timeout: 60_000 }).not.toMatch(REACHED);
  await inTree.say(name, { type: "Running", status: "False" }, { type: "Succeeded" });
  await expect.poll(async () => (await now()).phase, { timeout: 60_000 }).toBe("succeeded");
  expect(await bench.storedAs(definition)).toEqual({ v1: 3 });
});
