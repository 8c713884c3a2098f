import { expect, onTestFinished, vi } from "vitest";
import { objectName } from "#lib/local-cluster/sample-definition.ts";
import { faultTest, patchOf, recordOf } from "#lib/rewrite/testing/bench/fault-test.ts";

const SLEPT_MS = 60_000;

// Without whenReleased (keep-ownership.ts) the object is written before the record is renewed.
faultTest("a process that slept during the dry run of a write checks its record before it writes", async (bench) => {
  const { stale, proxy, start, endOf, storedAs } = bench;
  const definition = await stale(1);
  const trial = proxy.hold(
    ({ method, path }) => method === "PATCH" && path.includes(`/${objectName(0)}?`) && path.includes("dryRun"),
    "after",
  );
  const { id } = await start(definition, { acceptUnseen: true, keepOwnership: true });
  await trial.reached;
  const renewal = proxy.hold(recordOf(definition, id), "before");
  const now = Date.now;
  const clock = vi.spyOn(Date, "now").mockImplementation(() => now() + SLEPT_MS);
  onTestFinished(() => clock.mockRestore());
  trial.release();
  await renewal.reached;
  expect(proxy.seen.filter(patchOf(definition))).toEqual([]);
  clock.mockRestore();
  renewal.release();
  expect(await endOf(definition, id)).toMatchObject({ phase: "succeeded", counts: { rewritten: 1 }, ownership: { lost: 0 } });
  expect(await storedAs(definition)).toEqual({ v1: 1 });
});

// Without ifResourceVersion (patch-object.ts) the entries that a person has just reset are put back.
faultTest("managedFields that a person resets while the rewrite is under way stay reset", async (bench) => {
  const { api, cluster, proxy, define, flip, apply, start, endOf } = bench;
  const definition = await define([{ name: "v1" }, { name: "v1beta1", storage: true }]);
  for (const index of [0, 1]) await apply(definition, "v1beta1", objectName(index), "owner", { size: index });
  await flip(definition, [{ name: "v1", storage: true }, { name: "v1beta1" }]);
  const held = proxy.hold(patchOf(definition, objectName(0)), "before");
  const { id } = await start(definition, { acceptUnseen: true });
  await held.reached;
  await api.mergePatch(definition.path("v1", { name: objectName(0) }), { metadata: { managedFields: [{}] } });
  held.release();
  expect(await endOf(definition, id)).toMatchObject({ phase: "succeeded" });
  const stored = await definition.storedValues(cluster.etcd);
  expect(stored.get(objectName(0))?.metadata.managedFields ?? []).toEqual([]);
  expect(stored.get(objectName(1))?.metadata.managedFields).toHaveLength(1);
  expect(await bench.storedAs(definition)).toEqual({ v1: 2 });
});
