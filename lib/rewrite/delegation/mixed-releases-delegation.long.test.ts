import { expect, test } from "vitest";
import { readMigrationsOf } from "#lib/cluster/migrations/list-migrations.ts";
import { inTreeEngine, migrationsOf } from "#lib/local-cluster/testing/in-tree-engine.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";
import { cancelRewrite } from "#lib/rewrite/commands/cancel-rewrite.ts";
import { startRewrite } from "#lib/rewrite/commands/start-rewrite.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { mixedReleases } from "#lib/rewrite/testing/clusters/mixed-releases.ts";
import { holdElsewhere, readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";

/** A run that waits for its migration to be picked up, while the older release answers, which doesn't serve it. */
async function unserved() {
  const mixed = await mixedReleases({ controllerManager: true });
  const { bench, cluster, lead } = mixed;
  await lead("newer");
  const definition = await bench.stale(10);
  await cluster.controllerManager?.kill();
  const { id } = await bench.start(definition, { engine: "in-tree", acceptUnseen: true });
  await expect.poll(async () => (await bench.run(definition, id)).delegation?.phase, { timeout: 60_000 }).toBe("pending");
  await lead("older");
  const because = async () => (await bench.run(definition, id)).statusReason ?? "";
  await expect.poll(because, { timeout: 60_000 }).toContain("doesn't serve storagemigration.k8s.io");
  expect(await readMigrationsOf(bench.connection, definition.name, soon())).toEqual({ migrations: [], migrationsListed: false });
  return { ...mixed, definition, id };
}

// With any 404 taken for a migration that is gone (in-tree-migration.ts), the run fails, and says that the migration no longer exists.
test("a delegated run waits while an API server answers that doesn't serve its migration", async () => {
  const { bench, cluster, lead, definition, id } = await unserved();
  await cluster.controllerManager?.start();
  await lead("newer");
  expect(await bench.endOf(definition, id)).toMatchObject({ phase: "succeeded", delegation: { phase: "succeeded", left: null } });
  expect(await bench.storedAs(definition)).toEqual({ v1: 10 });
});

// With no API at the delegated phase's first question taken for one that is gone (delegate-rewrite.ts), the run fails.
test("nor does one fail that comes to its migration while such an API server answers", async () => {
  const { bench, cluster, lead } = await mixedReleases({ controllerManager: true });
  await lead("newer");
  const definition = await bench.stale(10);
  const engine = inTreeEngine(cluster, bench.api);
  await engine.learn();
  const options = { engine: "in-tree", settleSeconds: 5, acceptUnseen: true, signal: soon() } as const;
  const { id } = await startRewrite(bench.connection, definition.name, options);
  await lead("older");
  const because = async () => (await bench.run(definition, id)).statusReason ?? "";
  await expect.poll(because, { timeout: 60_000 }).toContain("doesn't serve storagemigration.k8s.io");
  await lead("newer");
  await expect.poll(async () => (await bench.run(definition, id)).delegation?.phase, { timeout: 60_000 }).toBe("running");
  await engine.endOf(definition, (await bench.run(definition, id)).delegation?.migration ?? "");
  expect(await bench.endOf(definition, id)).toMatchObject({ phase: "succeeded", delegation: { phase: "succeeded" } });
});

test("one that is cancelled then says that its migration can't be read, and deletes it once it can", async () => {
  const { bench, cluster, lead, definition, id } = await unserved();
  await cancelRewrite(bench.connection, definition.name, id, soon());
  const { phase, delegation } = await bench.endOf(definition, id);
  expect([phase, delegation?.left]).toEqual(["cancelled", expect.stringContaining("can no longer read")]);
  const migration = `${migrationsOf(cluster)}/${delegation?.migration}`;
  await bench.api.get(migration);
  await lead("newer");
  await cancelRewrite(bench.connection, definition.name, id, soon());
  expect((await bench.run(definition, id)).delegation?.left).toContain("was deleted before any controller");
  await expect(bench.api.get(migration)).rejects.toThrow("not found");
});

// Its record may be older than the migration that it has created (leave-migration.ts), and the process that cancels it may be another.
test("one that was killed and is cancelled then says so, too, and so does the rewrite that takes its place", async () => {
  const { bench, cluster, lead } = await mixedReleases({ controllerManager: true });
  await lead("newer");
  const definition = await bench.stale(10);
  await cluster.controllerManager?.kill();
  const { id } = await bench.start(definition, { engine: "in-tree", acceptUnseen: true });
  await expect.poll(async () => (await bench.run(definition, id)).delegation?.phase, { timeout: 60_000 }).toBe("pending");
  const delegation = (await readRecord(definition)).runs[0]?.delegation ?? null;
  await holdElsewhere(bench.api, definition, {
    ...{ renewedAt: new Date(Date.now() - 46_000).toISOString(), delegation: delegation && { ...delegation, phase: null } },
  });
  await expect.poll(async () => (await bench.run(definition, id)).phase, { timeout: 60_000 }).toBe("interrupted");
  processWide("migration-apis", () => new Map()).clear();
  await lead("older");
  const cancelled = await cancelRewrite(bench.connection, definition.name, id, soon());
  expect(cancelled.delegation?.left).toContain("can no longer read");
  expect((await bench.rewrite(definition, { acceptUnseen: true })).caveats).toContain(cancelled.delegation?.left);
});
