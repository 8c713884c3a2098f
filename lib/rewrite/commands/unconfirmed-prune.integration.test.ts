import { expect } from "vitest";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { readHistory } from "#lib/cluster/history/read-history.ts";
import { readReport } from "#lib/cluster/history/read-report.ts";
import type { Injected } from "#lib/cluster/testing/fault-proxy.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { untilRecorded } from "#lib/rewrite/record/record-action.ts";
import { type FaultBench, faultTest, past, recordOf, statusWriteOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";
import { pruneStoredVersions } from "./prune-stored-versions.ts";
import { relistStoredVersions } from "./relist-stored-versions.ts";

await openTestBench();

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
    const { id } = await rewrite(definition, { acceptUnseen: true });
    const failing = async () => {
      const writes = proxy.inject(statusWriteOf(definition), { kind: "reset", when: "before" }, Number.POSITIVE_INFINITY);
      const records = loseLaterRecords(bench, definition);
      await expect(prune(bench, definition)).rejects.toMatchObject({
        code: "cluster_unreachable",
        message: expect.stringContaining("crdshift couldn't find out whether v1beta1 was pruned."),
        nextStep: expect.stringContaining("Look at status.storedVersions"),
      });
      for (const fault of [writes, records]) fault.stop();
    };
    await failing();
    expect(await pruned(connection, definition)).toEqual([]);
    expect(await readDetail(connection, definition.name, soon())).toMatchObject({ state: "prunable", lastPrune: null });
    expect((await readReport(connection, definition.name, id, soon())).prune).toEqual({ state: "none" });

    await prune(bench, definition);
    const { lastPrune } = await readDetail(connection, definition.name, soon());
    await relistStoredVersions(connection, definition.name, ["v1beta1"], soon());
    await failing();
    expect(await pruned(connection, definition)).toHaveLength(1);
    expect((await readDetail(connection, definition.name, soon())).lastPrune).toEqual(lastPrune);
    // Whatever is written next takes it back.
    await rewrite(definition, { acceptUnseen: true });
    expect(await readRecord(definition)).toMatchObject({ pruning: null, prune: lastPrune });
  },
);

// Without withPruneDecided (last-prune.ts) a prune that happened vanishes once its version is listed again.
faultTest("a prune that happened but could not be confirmed stays told after it is undone", async (bench) => {
  const { api, connection, stale, rewrite } = bench;
  const definition = await stale(2);
  const { id } = await rewrite(definition, { acceptUnseen: true });
  const records = loseLaterRecords(bench, definition);
  expect((await prune(bench, definition)).storedVersions).toEqual(["v1"]);
  records.stop();
  expect((await readRecord(definition)).prune).toBeNull();
  expect(await pruned(connection, definition)).toHaveLength(1);
  const { lastPrune } = await readDetail(connection, definition.name, soon());
  expect(lastPrune).toMatchObject({ versions: ["v1beta1"] });
  expect((await readReport(connection, definition.name, id, soon())).prune).toEqual({ state: "pruned", prune: lastPrune });

  await relistStoredVersions(connection, definition.name, ["v1beta1"], soon());
  expect(await readRecord(definition)).toMatchObject({ pruning: null, prune: lastPrune });

  await prune(bench, definition);
  const again = (await readDetail(connection, definition.name, soon())).lastPrune;
  await api.mergePatch(`${DEFINITIONS}/${definition.name}/status`, { status: { storedVersions: ["v1beta1", "v1"] } });
  await expect.poll(async () => (await readDetail(connection, definition.name, soon())).state).toBe("prunable");
  expect((await readDetail(connection, definition.name, soon())).lastPrune).toEqual(again);
  expect(await readRecord(definition)).toMatchObject({ pruning: null, prune: again });
});

// Without a look after the error (prune-stored-versions.ts) the caller gets that error, and history tells of a prune without its Event.
faultTest("a prune whose answer is lost is told as the prune that it was", async (bench) => {
  const { connection, proxy, stale, rewrite } = bench;
  const definition = await stale(2);
  await rewrite(definition, { acceptUnseen: true });
  proxy.inject(statusWriteOf(definition), { kind: "reset", when: "after" }, 1);
  expect((await prune(bench, definition)).storedVersions).toEqual(["v1"]);
  await untilRecorded();
  const { items } = await readHistory(connection, definition.name, soon());
  expect(items.filter(({ kind }) => kind === "pruned")).toMatchObject([{ sources: ["annotation", "event"] }]);
  expect(await readRecord(definition)).toMatchObject({ pruning: null, prune: { versions: ["v1beta1"] } });
});

faultTest("a prune whose write never arrives is told as none", async (bench) => {
  const { connection, proxy, stale, rewrite } = bench;
  const definition = await stale(2);
  await rewrite(definition, { acceptUnseen: true });
  proxy.inject(statusWriteOf(definition), { kind: "reset", when: "before" }, 1);
  await expect(prune(bench, definition)).rejects.toMatchObject({
    code: "cluster_unreachable",
    message: expect.stringMatching(/ Nothing was pruned\.$/),
  });
  await untilRecorded();
  expect(await pruned(connection, definition)).toEqual([]);
  expect(await readRecord(definition)).toMatchObject({ pruning: null, prune: null });
  expect((await prune(bench, definition)).storedVersions).toEqual(["v1"]);
});

// Without lacksAnswer (prune-stored-versions.ts) the caller is told that nobody knows whether it was pruned.
faultTest("a prune that the cluster denies is told as none, even if the record of it can't be taken back", async (bench) => {
  const { connection, proxy, stale, rewrite } = bench;
  const definition = await stale(1);
  await rewrite(definition, { acceptUnseen: true });
  const body = JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", reason: "Forbidden", code: 403, message: "denied" });
  const denial = { kind: "answer", status: 403, headers: { "content-type": "application/json" }, body } as const;
  proxy.inject(statusWriteOf(definition), denial, Number.POSITIVE_INFINITY);
  proxy.inject(past(1, recordOf(definition)), denial, Number.POSITIVE_INFINITY);
  await expect(prune(bench, definition)).rejects.toMatchObject({
    code: "forbidden",
    message: expect.stringMatching(/ Nothing was pruned\.$/),
  });
  expect(await pruned(connection, definition)).toEqual([]);
});

// With a prune that counts only if all its versions are gone (last-prune.ts), no record has it, and v1alpha1 can't be put back.
faultTest("an unconfirmed prune stays told for what is still missing once one of its versions is stored again", async (bench) => {
  const three = (storage: string) => ["v1alpha1", "v1beta1", "v1"].map((name) => ({ name, storage: name === storage }));
  const { connection, define, flip, rewrite } = bench;
  const definition = await define(three("v1alpha1"));
  for (const storage of ["v1beta1", "v1"]) await flip(definition, three(storage));
  await rewrite(definition, { acceptUnseen: true });
  const records = loseLaterRecords(bench, definition);
  expect((await prune(bench, definition)).storedVersions).toEqual(["v1"]);
  records.stop();
  await flip(definition, three("v1beta1"));
  await expect.poll(async () => (await definition.read()).status.storedVersions).toContain("v1beta1");
  await rewrite(definition, { acceptUnseen: true });
  expect(await readRecord(definition)).toMatchObject({ pruning: null, prune: { versions: ["v1alpha1"] } });
  expect((await readDetail(connection, definition.name, soon())).lastPrune).toMatchObject({ versions: ["v1alpha1"] });
});

// With the recorded prune compared as a whole (decidePrune) it says that nothing was pruned, and no Event tells of v1alpha1.
faultTest("a prune whose answer is lost, and one of whose versions is listed again at once, is told for the other", async (bench) => {
  const three = (storage: string) => ["v1alpha1", "v1beta1", "v1"].map((name) => ({ name, storage: name === storage }));
  const { api, connection, define, flip, proxy, rewrite } = bench;
  const definition = await define(three("v1alpha1"));
  for (const storage of ["v1beta1", "v1"]) await flip(definition, three(storage));
  await rewrite(definition, { acceptUnseen: true });
  const isWrite = statusWriteOf(definition);
  proxy.inject(isWrite, { kind: "reset", when: "after" }, 1);
  const isRead = ({ method, path }: { method: string; path: string }) => method === "GET" && path.endsWith(`/${definition.name}`);
  const look = proxy.hold((request) => isRead(request) && proxy.seen.some(isWrite), "before", 1);
  const ended = prune(bench, definition);
  await look.reached;
  await api.mergePatch(`${DEFINITIONS}/${definition.name}/status`, { status: { storedVersions: ["v1beta1", "v1"] } });
  look.release();
  expect((await ended).storedVersions).toEqual(["v1beta1", "v1"]);
  await untilRecorded();
  expect(await pruned(connection, definition)).toEqual([expect.stringContaining("v1alpha1")]);
  expect(await readRecord(definition)).toMatchObject({ pruning: null, prune: { versions: ["v1alpha1"] } });
});
