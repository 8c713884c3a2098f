import { expect, onTestFinished, test, vi } from "vitest";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { pauseRewrite } from "#lib/rewrite/commands/pause-rewrite.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { resumeRewrite } from "#lib/rewrite/commands/resume-rewrite.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { afterFlip } from "#lib/rewrite/testing/bench/stale-definition.ts";
import { restorableCluster } from "#lib/rewrite/testing/clusters/restorable-cluster.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";

const OBJECTS = 30;

// The backup was taken while the run rewrote, so it has the run's record. What the run had not rewritten by then was deleted later, and is
// back. Without restoredSince (update-held.ts) the run goes on, because the definition is no older than the fleet's new list has it; it then
// proves what it verified before the restore, and the prune answers 200 with these objects stored as v1beta1.
test("a run that is verifying when etcd is restored from a backup of its own middle proves nothing", async () => {
  const told = vi.spyOn(console, "error");
  onTestFinished(() => told.mockRestore());
  const { bench, definition, backUp, grow, restore } = await restorableCluster();
  const { api, connection } = bench;
  await definition.createObjects("v1beta1", OBJECTS);
  await bench.flip(definition, afterFlip);
  const { id } = await bench.start(definition, { acceptUnseen: true, verify: "every-object", maxPerSecond: 10 });
  const phase = async () => (await bench.run(definition, id)).phase;
  const pause = async () => {
    await pauseRewrite(connection, definition.name, id, soon());
    await expect.poll(phase).toBe("paused");
  };
  const resume = () => resumeRewrite(connection, definition.name, id, { settleSeconds: 0, signal: soon() });
  await bench.rewritten(definition, id, OBJECTS / 2);
  await pause();
  await backUp();
  const stale = [...(await definition.storedValues(bench.cluster.etcd))].filter(([_, { apiVersion }]) => apiVersion.endsWith("/v1beta1"));
  for (const [name] of stale) await api.delete(definition.path("v1", { name }));
  await resume();
  await expect.poll(phase, { timeout: 60_000, interval: 20 }).toBe("verifying");
  await pause();

  const etcd = await restore();
  await expect.poll(() => told.mock.calls.flat().join("\n"), { timeout: 30_000 }).toContain("etcd was restored");
  // So that the cluster gives out the resourceVersions again that the run has seen.
  await grow();
  await resume().catch(() => {});
  const ended = await bench.endOf(definition, id);
  expect(ended).toMatchObject({ phase: "failed", provenObjects: null, statusReason: expect.stringContaining("etcd was restored") });
  expect((await readRecord(definition)).proof).toBeNull();
  expect(await readDetail(connection, definition.name, soon())).toMatchObject({ proof: null, restoredEtcd: expect.anything() });
  await expect(pruneStoredVersions(connection, definition.name, definition.name, soon())).rejects.toMatchObject({
    code: "precondition_failed",
  });
  const stored = [...(await definition.storedValues(etcd)).values()].map(({ apiVersion }) => apiVersion.split("/")[1]);
  expect(stored.filter((version) => version === "v1beta1")).toHaveLength(stale.length);
});
