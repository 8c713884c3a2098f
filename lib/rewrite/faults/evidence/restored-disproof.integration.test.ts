import { expect, onTestFinished, test, vi } from "vitest";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { putIntoEtcd } from "#lib/local-cluster/etcd.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { benchOn, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { afterFlip } from "#lib/rewrite/testing/bench/stale-definition.ts";
import { restorableCluster, untilIdle } from "#lib/rewrite/testing/clusters/restorable-cluster.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";
import { writeRecord } from "#lib/rewrite/testing/record/write-record.ts";

// Another replica disproves a proof of this process, and a restore of etcd brings back that proof, and the object that disproved it.

const OBJECTS = 5;

// Without newestUnproven (remembered-doubt.ts) the proof that the doubt is about passes for one of the run that left the doubt, and the prune
// answers 200 with an object stored as v1beta1.
test("a doubt that another replica left when it verified the proof stays", async () => {
  const { definition, replica, restore, ...cluster } = await falselyProven();
  // So that the replica verifies the proof before it prunes.
  const { proof, ...record } = await readRecord(definition);
  await writeRecord(cluster.bench.api, definition, { ...record, proof: proof && { ...proof, signature: null } }, "argocd");
  await expect(pruneStoredVersions(replica, definition.name, definition.name, soon())).rejects.toMatchObject({
    code: "precondition_failed",
  });
  expect(await readRecord(definition)).toMatchObject({ proof: null, doubt: { rejected: 0 }, runs: [{ phase: "succeeded" }] });
  await restore();
  await expectDoubted(cluster, definition);
});

// Without the doubt that was kept (remembered-doubt.ts) the proof that ended it is undone, and the doubt stays ended.
test("a doubt comes back if the proof that ended it is undone", async () => {
  const { restore, ...cluster } = await provenByReplica();
  await restore();
  await expectDoubted(cluster, cluster.definition);
});

// Without the definitions that are as they were known (detect-etcd-restore.ts) the list passes for the backup: the doubt had ended by then.
test("it comes back, too, if nobody views until the resourceVersions have passed those of that proof", async () => {
  const cluster = await restoredWhileIdle();
  await cluster.growHalf();
  const { name } = cluster.definition;
  expect(await readDetail(cluster.bench.connection, name, soon())).toMatchObject({ restoredEtcd: expect.anything() });
  await expectDoubted(cluster, cluster.definition);
});

test("a prune that is the first request after it is refused", async () => {
  const cluster = await restoredWhileIdle();
  const { name } = cluster.definition;
  await expect(pruneStoredVersions(cluster.bench.connection, name, name, soon())).rejects.toMatchObject({ code: "precondition_failed" });
  expect((await cluster.definition.read()).status.storedVersions).toEqual(["v1beta1", "v1"]);
});

/** The same after another replica has found that object, rewritten it, and proven them all. */
async function provenByReplica() {
  const cluster = await falselyProven();
  const { bench, definition, replica } = cluster;
  const again = await benchOn(bench.cluster, bench.api, replica).rewrite(definition, { acceptUnseen: true, verify: "every-object" });
  expect(again).toMatchObject({ phase: "succeeded", counts: { rewritten: 1 } });
  expect(await readRecord(definition)).toMatchObject({ proof: { runId: again.id }, doubt: null });
  return cluster;
}

/** The same after a restore that nobody has viewed. */
async function restoredWhileIdle() {
  const { unsubscribe, ...cluster } = await provenByReplica();
  await cluster.grow();
  unsubscribe();
  await untilIdle(cluster.bench.connection);
  cluster.goBack();
  return cluster;
}

type Restorable = Awaited<ReturnType<typeof restorableCluster>>;

/** A definition that this process has proven and follows, with an object that a write from before the flip has stored since. Backed up. */
async function falselyProven() {
  const told = vi.spyOn(console, "error");
  onTestFinished(() => told.mockRestore());
  const cluster = await restorableCluster();
  const { bench, definition } = cluster;
  const unsubscribe = fleetOf(bench.connection).subscribe(() => {});
  onTestFinished(() => unsubscribe());
  await definition.createObjects("v1beta1", OBJECTS);
  const old = (await definition.storedValues(bench.cluster.etcd)).get("widget-000002");
  await bench.flip(definition, afterFlip);
  expect(await bench.rewrite(definition, { acceptUnseen: true })).toMatchObject({ phase: "succeeded" });
  await putIntoEtcd(bench.cluster.etcd, `/registry/${definition.group}/widgets/default/widget-000002`, old?.text ?? "");
  await expect.poll(() => bench.storedAs(definition)).toEqual({ v1: OBJECTS - 1, v1beta1: 1 });
  await cluster.backUp();
  const restore = async () => {
    await cluster.restore();
    await expect.poll(() => told.mock.calls.flat().join("\n"), { timeout: 30_000 }).toContain("etcd was restored");
    await expect.poll(() => fleetOf(bench.connection).freshness().stale).toBe(false);
  };
  return { ...cluster, restore, unsubscribe };
}

async function expectDoubted({ bench }: Pick<Restorable, "bench">, { name }: Restorable["definition"]): Promise<void> {
  expect(await readDetail(bench.connection, name, soon())).toMatchObject({ state: "needs-rewrite", proof: { standing: "claimed" } });
  expect(fleetOf(bench.connection).crd(name)?.rememberedDoubt).toEqual({ rejected: 0 });
  await expect(pruneStoredVersions(bench.connection, name, name, soon())).rejects.toMatchObject({ code: "precondition_failed" });
}
