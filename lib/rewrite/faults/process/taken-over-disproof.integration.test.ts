import { expect, onTestFinished } from "vitest";
import { connect } from "#lib/cluster/connection/connect.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { chooseContexts } from "#lib/cluster/testing/choose-contexts.ts";
import type { Match } from "#lib/cluster/testing/fault-proxy.ts";
import { putIntoEtcd } from "#lib/local-cluster/etcd.ts";
import { objectName } from "#lib/local-cluster/sample-definition.ts";
import { cancelRewrite } from "#lib/rewrite/commands/cancel-rewrite.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { controlOf, stopRunning } from "#lib/rewrite/run/running.ts";
import { StopRun } from "#lib/rewrite/run/stop-run.ts";
import { untilWorkEnds } from "#lib/rewrite/run/work-beside-runs.ts";
import { faultTest, patchOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { holdElsewhere, readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";

// Without the look at the object (was-never-stored.ts), or if it tells nothing, the other one's settle point stays, and so does its proof.
faultTest("a write whose answer never comes is on record as well, if it was stored", async (bench) => {
  const { api, cluster, proxy, stale, rewrite, start, storedAs } = bench;
  const definition = await stale(3);
  const old = await definition.storedValues(cluster.etcd);
  expect(await rewrite(definition)).toMatchObject({ phase: "succeeded" });
  const found = objectName(0);
  await putIntoEtcd(cluster.etcd, `/registry/${definition.group}/widgets/default/${found}`, old.get(found)?.text ?? "");
  const stored = proxy.hold(patchOf(definition, found), "after");
  await start(definition, { verify: "every-object" });
  await stored.reached;
  await expect.poll(() => storedAs(definition)).toEqual({ v1: 3 });
  await holdElsewhere(api, definition, { renewedAt: new Date().toISOString() });
  await expect.poll(async () => (await readRecord(definition)).settlePoint, { timeout: 30_000 }).toBeNull();
  expect(await readRecord(definition)).toMatchObject({ holder: "another", proof: null, doubt: { rejected: 0 } });
  stored.release();
});

// With the reason for which it ended in place of who holds the record (withdrawIfStored), each write under way disproves the other one's proof.
faultTest("a run that ends by itself after it was taken over leaves what is proven, if nothing more of it was stored", async (bench) => {
  const { api, proxy, stale, rewrite, start } = bench;
  const definition = await stale(3);
  expect(await rewrite(definition)).toMatchObject({ phase: "succeeded" });
  const unsent = proxy.hold(patchOf(definition), "before", Number.POSITIVE_INFINITY);
  const { id } = await start(definition, { verify: "every-object" });
  await unsent.reached;
  // The end waits for the definition, and by then another one has the run.
  const isReading: Match = ({ method, path, headers }) =>
    method === "GET" && path.endsWith(`/customresourcedefinitions/${definition.name}`) && !headers.accept?.includes("Partial");
  const read = proxy.hold(isReading, "before");
  const stopped = stopRunning({ crd: definition.name, id }, new StopRun("interrupted", "Nothing has succeeded for ten minutes."));
  await read.reached;
  await holdElsewhere(api, definition, { renewedAt: new Date().toISOString() });
  const record = await readRecord(definition);
  read.release();
  await stopped;
  await untilWorkEnds(30_000);
  expect(record.proof).not.toBeNull();
  expect(await readRecord(definition)).toEqual(record);
  unsent.release();
});

// Without leaveDoubt (withdraw-evidence.ts) only the one that was taken over knows what it found, and the other one's prune is answered
// with 200 while an object is old.
faultTest("what a run finds as another crdshift takes it over is on record, and that one doesn't prune", async (bench) => {
  const { api, cluster, proxy, stale, rewrite, start, storedAs } = bench;
  const definition = await stale(12);
  const old = await definition.storedValues(cluster.etcd);
  expect(await rewrite(definition)).toMatchObject({ phase: "succeeded" });
  const [found, unseen] = [objectName(0), objectName(1)];
  for (const name of [found, unseen]) {
    await putIntoEtcd(cluster.etcd, `/registry/${definition.group}/widgets/default/${name}`, old.get(name)?.text ?? "");
  }
  const stored = proxy.hold(patchOf(definition, found), "after");
  const unsent = proxy.hold(patchOf(definition, unseen), "before");
  const { id } = await start(definition, { verify: "every-object" });
  await Promise.all([stored.reached, unsent.reached]);
  await expect.poll(() => storedAs(definition)).toEqual({ v1: 11, v1beta1: 1 });

  // As if this process had slept, and the other one had resumed the run.
  await holdElsewhere(api, definition, { renewedAt: new Date().toISOString() });
  await expect.poll(() => controlOf({ crd: definition.name, id }), { timeout: 20_000 }).toBeNull();
  stored.release();
  await expect.poll(async () => (await readRecord(definition)).settlePoint, { timeout: 20_000 }).toBeNull();
  expect(await readRecord(definition)).toMatchObject({ holder: "another", proof: null, doubt: { rejected: 0 } });

  await holdElsewhere(api, definition, { renewedAt: new Date(Date.now() - 60_000).toISOString() });
  // It remembers nothing of this one's: it reaches the cluster by another address.
  await chooseContexts(cluster, { name: "the other crdshift" });
  const other = await connect("the other crdshift");
  onTestFinished(() => fleetOf(other).stop());
  await cancelRewrite(other, definition.name, id, soon());
  await expect(pruneStoredVersions(other, definition.name, definition.name, soon())).rejects.toMatchObject({ code: "precondition_failed" });
  expect((await definition.read()).status.storedVersions).toEqual(["v1beta1", "v1"]);
  unsent.release();
});
