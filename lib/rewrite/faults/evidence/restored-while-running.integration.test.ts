import { expect, onTestFinished, test, vi } from "vitest";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { cancelRewrite } from "#lib/rewrite/commands/cancel-rewrite.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { afterFlip } from "#lib/rewrite/testing/bench/stale-definition.ts";
import { restorableCluster } from "#lib/rewrite/testing/clusters/restorable-cluster.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";

const OBJECTS = 20;

// Without isRestoredSince (follow-crds.ts) the page stays as it was before the restore, and passes for up to date.
test("after etcd was restored, crdshift lists again by itself, says so, and rewrites and cancels", async () => {
  const told = vi.spyOn(console, "error");
  onTestFinished(() => told.mockRestore());
  const { bench, definition, backUp, restore } = await restorableCluster();
  await definition.createObjects("v1beta1", OBJECTS);
  await backUp();
  const { connection, flip, rewrite, start, endOf } = bench;
  const detail = () => readDetail(connection, definition.name, soon());
  await flip(definition, afterFlip);
  expect(await rewrite(definition, { acceptUnseen: true })).toMatchObject({ phase: "succeeded" });
  await pruneStoredVersions(connection, definition.name, definition.name, soon());
  expect(await detail()).toMatchObject({ state: "current", storedVersions: ["v1"], proof: { objects: OBJECTS } });

  const etcd = await restore();
  await expect.poll(async () => (await detail()).storedVersions, { timeout: 90_000, interval: 1_000 }).toEqual(["v1beta1"]);
  expect(await detail()).toMatchObject({ proof: null, run: null });
  await expect.poll(() => fleetOf(connection).freshness().stale).toBe(false);
  expect(told.mock.calls.flat().join("\n")).toContain("etcd was restored");

  // Without noticedRestore (read-detail.ts) only the log says so.
  const { restoredEtcd } = await detail();
  expect(Number(restoredEtcd?.from)).toBeGreaterThan(Number(restoredEtcd?.to));

  await flip(definition, afterFlip);
  await expect.poll(async () => (await detail()).state).toBe("needs-rewrite");
  const slow = await start(definition, { acceptUnseen: true, maxPerSecond: 1 });
  expect(await cancelRewrite(connection, definition.name, slow.id, soon())).toMatchObject({ id: slow.id, phase: "cancelled" });
  const { id } = await start(definition, { acceptUnseen: true });
  expect(await endOf(definition, id)).toMatchObject({ phase: "succeeded" });
  expect(await readRecord(definition)).toMatchObject({ proof: { runId: id }, runs: [{ id }, { id: slow.id }] });
  expect(await detail()).toMatchObject({ proof: { standing: "valid" }, restoredEtcd: null });
  expect([...(await definition.storedValues(etcd)).values()].map(({ apiVersion }) => apiVersion.split("/")[1])).toEqual(
    Array(OBJECTS).fill("v1"),
  );
  await pruneStoredVersions(connection, definition.name, definition.name, soon());
  expect(await detail()).toMatchObject({ state: "current", storedVersions: ["v1"] });
});
