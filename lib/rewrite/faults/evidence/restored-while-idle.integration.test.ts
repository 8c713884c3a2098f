import { expect, onTestFinished, test, vi } from "vitest";
import { sleep } from "#lib/async/sleep.ts";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { startRewrite } from "#lib/rewrite/commands/start-rewrite.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { afterFlip } from "#lib/rewrite/testing/bench/stale-definition.ts";
import { restorableCluster, untilIdle } from "#lib/rewrite/testing/clusters/restorable-cluster.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";

const SETTLE_SECONDS = 15;

// Without known-states.ts nothing shows the restore, and the wait for the second flip counts from when this process saw the first one,
// which had the same generation.
test("a restore of etcd while nobody views is noticed, and the next flip gets its settle wait", async () => {
  const told = vi.spyOn(console, "error");
  onTestFinished(() => told.mockRestore());
  const { bench, definition, backUp, grow, goBack } = await restorableCluster();
  const { connection, flip } = bench;
  const detail = () => readDetail(connection, definition.name, soon());
  await definition.createObjects("v1beta1", 5);
  await backUp();
  await detail();
  await flip(definition, afterFlip);
  await expect.poll(() => fleetOf(connection).lastSeen(definition.name)?.generation).toBe(2);
  await sleep(SETTLE_SECONDS * 1_000, soon());
  await grow();
  await untilIdle(connection);
  goBack();
  expect(told.mock.calls.flat().join("\n")).not.toContain("etcd was restored");

  expect(await detail()).toMatchObject({ storedVersions: ["v1beta1"], restoredEtcd: expect.anything() });
  const flippedAt = Date.now();
  await flip(definition, afterFlip);
  const run = await startRewrite(connection, definition.name, { acceptUnseen: true, settleSeconds: SETTLE_SECONDS, signal: soon() });
  expect(await bench.endOf(definition, run.id)).toMatchObject({ phase: "succeeded" });
  const { settlePoint } = await readRecord(definition);
  expect(Date.parse(settlePoint?.takenAt ?? "") - flippedAt).toBeGreaterThan((SETTLE_SECONDS - 1) * 1_000);
});
