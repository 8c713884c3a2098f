import { expect } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { readHistory } from "#lib/cluster/history/read-history.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { cleanManagedFields } from "#lib/rewrite/managed-fields/clean-managed-fields.ts";
import { logActionsTo, untilRecorded } from "#lib/rewrite/record/record-action.ts";
import { controlOf } from "#lib/rewrite/run/running.ts";
import { type FaultBench, faultTest, patchOf, statusWriteOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { replaceDefinition } from "#lib/rewrite/testing/record/replace-definition.ts";

interface EventJson {
  involvedObject: { uid: string };
  message: string;
}

/** Of each such Event, the uid of its definition, and what it says. */
async function eventsOf({ api }: FaultBench, { name }: SampleDefinition, reason: string): Promise<[string, string][]> {
  const query = new URLSearchParams({ fieldSelector: `involvedObject.name=${name},reason=${reason}` });
  const { items } = await api.get<{ items: EventJson[] }>(`/api/v1/namespaces/default/events?${query}`);
  return items.map(({ involvedObject, message }) => [involvedObject.uid, message]);
}

/** Replaces the definition; resolves once crdshift has seen that. */
async function replaced({ api, connection }: FaultBench, definition: SampleDefinition): Promise<void> {
  await replaceDefinition(api, definition, { annotated: false });
  const { uid } = (await definition.read()).metadata;
  await expect.poll(() => fleetOf(connection).crd(definition.name)?.uid).toBe(uid);
}

// Without the uid of the run's definition (tell-lost.ts) the new definition's History says that somebody removed its record.
faultTest("a definition deleted and created again mid-run: no Event about the new one, and the true cause about the old", async (bench) => {
  const { api, connection, proxy, stale, start, rewritten } = bench;
  const lines: string[] = [];
  logActionsTo((line) => lines.push(line));
  const definition = await stale(30);
  const { id } = await start(definition, { acceptUnseen: true, maxPerSecond: 1 });
  await rewritten(definition, id, 1);
  const { metadata: old } = await definition.read();
  // So that the run reads the definition only once it is the new one.
  const reads = proxy.hold(
    ({ method, path }) => method === "GET" && path.endsWith(`/customresourcedefinitions/${definition.name}`),
    "before",
    Number.POSITIVE_INFINITY,
  );
  await replaceDefinition(api, definition, { annotated: false });
  const { metadata: now } = await definition.read();
  reads.release();
  await expect.poll(() => controlOf({ crd: definition.name, id }), { timeout: 30_000 }).toBeNull();
  await untilRecorded();

  expect(now.uid).not.toBe(old.uid);
  expect(await eventsOf(bench, definition, "RewriteFailed")).toEqual([
    [old.uid, expect.stringMatching(/^The rewrite stopped\. The definition was deleted/)],
  ]);
  expect(lines.filter((line) => line.includes('"failed"')).join()).toContain("The definition was deleted");
  expect((await readHistory(connection, definition.name, soon())).items).toEqual([]);
});

// Without the uid in decidePrune (prune-stored-versions.ts) the new definition gets a record with nothing in it.
faultTest("a prune that meets a definition created again writes nothing to it", async ({ api, connection, proxy, stale, rewrite }) => {
  const definition = await stale(3);
  expect(await rewrite(definition, { acceptUnseen: true })).toMatchObject({ phase: "succeeded" });
  const held = proxy.hold(statusWriteOf(definition), "before", 1);
  const pruning = pruneStoredVersions(connection, definition.name, definition.name, soon());
  const refused = expect(pruning).rejects.toMatchObject({ code: "precondition_failed" });
  await held.reached;
  await replaceDefinition(api, definition, { annotated: false });
  held.release();
  await refused;
  expect((await definition.read()).metadata.annotations).toBeUndefined();
});

// Without the uid in tell (prune-stored-versions.ts) the new definition's History has a prune.
faultTest("a prune of a definition that is created again before its answer is told of the old one", async (bench) => {
  const definition = await bench.stale(3);
  expect(await bench.rewrite(definition, { acceptUnseen: true })).toMatchObject({ phase: "succeeded" });
  const { uid } = (await definition.read()).metadata;
  const held = bench.proxy.hold(statusWriteOf(definition), "after", 1);
  const pruned = pruneStoredVersions(bench.connection, definition.name, definition.name, soon());
  await held.reached;
  await replaced(bench, definition);
  held.release();
  await pruned;
  await untilRecorded();
  expect(await eventsOf(bench, definition, "StoredVersionsPruned")).toEqual([[uid, expect.any(String)]]);
});

// Without the uid in recordCleaning (clean-managed-fields.ts) the new definition's History has a cleaning.
faultTest("a cleaning that ends as its definition is created again is told of the old one", async (bench) => {
  const { connection, proxy } = bench;
  const definition = await bench.stale(3);
  expect(await bench.rewrite(definition, { acceptUnseen: true })).toMatchObject({ phase: "succeeded" });
  const { crd } = await readCrd(connection, definition.name, soon());
  const held = proxy.hold(patchOf(definition), "after", Number.POSITIVE_INFINITY);
  const ended = Array.fromAsync(cleanManagedFields(connection, crd, { versions: ["v1beta1"] }, soon())).catch((error: unknown) => error);
  await held.reached;
  // The cleaning asks once more for the definition before it is told.
  proxy.hold(({ method, path }) => method === "GET" && path.includes("/customresourcedefinitions/"), "before", Number.POSITIVE_INFINITY);
  await replaced(bench, definition);
  expect(await ended).toMatchObject({ message: expect.stringContaining("The definition changed meanwhile") });
  await untilRecorded();
  expect(await eventsOf(bench, definition, "ManagedFieldsCleaned")).toEqual([[crd.uid, expect.any(String)]]);
});
