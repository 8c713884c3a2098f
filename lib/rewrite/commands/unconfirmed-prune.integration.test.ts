import { expect } from "vitest";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { readHistory, readReport } from "#lib/cluster/history/read-runs.ts";
import type { Injected } from "#lib/cluster/testing/fault-proxy.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { type FaultBench, faultTest, past, recordOf, statusWriteOf } from "#lib/rewrite/testing/fault-test.ts";
import { readRecord } from "#lib/rewrite/testing/hold-elsewhere.ts";
import { soon, testCluster } from "#lib/rewrite/testing/test-cluster.ts";
import { pruneStoredVersions } from "./prune-stored-versions.ts";
import { restoreStoredVersions } from "./restore-stored-versions.ts";

await testCluster();

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const prune = ({ connection }: FaultBench, { name }: SampleDefinition) => pruneStoredVersions(connection, name, name, soon());

async function pruned(connection: Connection, { name }: SampleDefinition): Promise<string[]> {
  const { items } = await readHistory(connection, name, soon());
  return items.filter(({ kind }) => kind === "pruned").map(({ message }) => message);
}

/** Loses the connection for each write of the record after the first, as when crdshift is killed after the first. */
function loseLaterRecords({ proxy }: FaultBench, definition: SampleDefinition): Injected {
  return proxy.inject(past(1, recordOf(definition)), { kind: "reset", when: "before" }, Number.POSITIVE_INFINITY);
}

// Without `pruning` beside the last prune (rewrite-record.ts) history, report and page tell of a prune that never happened.
faultTest(
  "a prune whose write fails and that can't be taken back is told nowhere, and leaves the undo of the one before",
  async (bench) => {
    const { connection, proxy, stale, rewrite } = bench;
    const definition = await stale(2);
    const { id } = await rewrite(definition, { acceptLosses: true });
    const failing = async () => {
      const writes = proxy.inject(statusWriteOf(definition), { kind: "reset", when: "before" }, Number.POSITIVE_INFINITY);
      const records = loseLaterRecords(bench, definition);
      await expect(prune(bench, definition)).rejects.toMatchObject({ code: "cluster_unreachable" });
      for (const fault of [writes, records]) fault.stop();
    };
    await failing();
    expect(await pruned(connection, definition)).toEqual([]);
    expect(await readDetail(connection, definition.name, soon())).toMatchObject({ state: "prunable", lastPrune: null });
    expect((await readReport(connection, definition.name, id, soon())).prune).toEqual({ state: "none" });

    await prune(bench, definition);
    const { lastPrune } = await readDetail(connection, definition.name, soon());
    await restoreStoredVersions(connection, definition.name, ["v1beta1"], soon());
    await failing();
    expect(await pruned(connection, definition)).toHaveLength(1);
    expect((await readDetail(connection, definition.name, soon())).lastPrune).toEqual(lastPrune);
    // Whatever is written next takes it back.
    await rewrite(definition, { acceptLosses: true });
    expect(await readRecord(definition)).toMatchObject({ pruning: null, prune: lastPrune });
  },
);

// Without withPruneDecided (last-prune.ts) a prune that happened vanishes once its version is listed again.
faultTest("a prune that happened but could not be confirmed stays told after it is undone", async (bench) => {
  const { api, connection, stale, rewrite } = bench;
  const definition = await stale(2);
  const { id } = await rewrite(definition, { acceptLosses: true });
  const records = loseLaterRecords(bench, definition);
  expect((await prune(bench, definition)).storedVersions).toEqual(["v1"]);
  records.stop();
  expect((await readRecord(definition)).prune).toBeNull();
  expect(await pruned(connection, definition)).toHaveLength(1);
  const { lastPrune } = await readDetail(connection, definition.name, soon());
  expect(lastPrune).toMatchObject({ versions: ["v1beta1"] });
  expect((await readReport(connection, definition.name, id, soon())).prune).toEqual({ state: "pruned", prune: lastPrune });

  await restoreStoredVersions(connection, definition.name, ["v1beta1"], soon());
  expect(await readRecord(definition)).toMatchObject({ pruning: null, prune: lastPrune });

  await prune(bench, definition);
  const again = (await readDetail(connection, definition.name, soon())).lastPrune;
  await api.mergePatch(`${DEFINITIONS}/${definition.name}/status`, { status: { storedVersions: ["v1beta1", "v1"] } });
  await expect.poll(async () => (await readDetail(connection, definition.name, soon())).state).toBe("prunable");
  expect((await readDetail(connection, definition.name, soon())).lastPrune).toEqual(again);
  expect(await readRecord(definition)).toMatchObject({ pruning: null, prune: again });
});
