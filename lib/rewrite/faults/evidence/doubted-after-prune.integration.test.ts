import { expect, test } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { type CrdState, crdState } from "#lib/domain/definition/crd-state.ts";
import { REMEMBERED_RUNS } from "#lib/domain/record/rewrite-record.ts";
import { putIntoEtcd } from "#lib/local-cluster/etcd.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { cancelRewrite } from "#lib/rewrite/commands/cancel-rewrite.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { removeVersion } from "#lib/rewrite/spec-change/remove-version.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";
import { denyUpdatesOfFrozen } from "#lib/rewrite/testing/webhooks/deny-updates.ts";

const { api, cluster, connection, stale, start, rewrite, endOf, storedAs } = await openTestBench();

/** Pruned, and v1beta1 no longer served; then all objects are at v1beta1 in etcd again. */
async function prunedWithOldObjects(count: number): Promise<SampleDefinition> {
  const definition = await stale(count, { spec: (index) => ({ size: index, frozen: index === 0 }) });
  const old = await definition.storedValues(cluster.etcd);
  expect(await rewrite(definition)).toMatchObject({ phase: "succeeded" });
  await pruneStoredVersions(connection, definition.name, definition.name, soon());
  await definition.setVersions([
    { name: "v1", storage: true },
    { name: "v1beta1", served: false },
  ]);
  for (const [name, { text }] of old) await putIntoEtcd(cluster.etcd, `/registry/${definition.group}/widgets/default/${name}`, text);
  return definition;
}

const removal = (definition: SampleDefinition) =>
  removeVersion(connection, definition.name, "v1beta1", { confirm: "v1beta1", acceptManagedFields: true }, soon());

async function stateOf(definition: SampleDefinition): Promise<CrdState> {
  const { crd } = await readCrd(connection, definition.name, soon());
  return crdState(crd, { total: 1, conversionFailure: null }, Date.now());
}

// Without doubtIn (doubt.ts) the state is "current", and the removal makes the objects that are left unreadable.
test("a rewrite that finds old objects after a prune, and is cancelled, keeps the version from being removed", async () => {
  const definition = await prunedWithOldObjects(200);
  const { id } = await start(definition, { verify: "every-object", acceptUnseen: true, maxPerSecond: 5 });
  await expect.poll(async () => (await storedAs(definition)).v1 ?? 0, { timeout: 30_000, interval: 50 }).toBeGreaterThan(5);
  // Whatever ends the run: with the doubt written at its end only (withdraw-evidence.ts) a kill -9 would leave none.
  expect(await readRecord(definition)).toMatchObject({ doubt: { rejected: 0 }, runs: [{ phase: "rewriting" }, {}] });
  await cancelRewrite(connection, definition.name, id, soon());
  expect((await storedAs(definition)).v1beta1).toBeGreaterThan(0);
  expect(await stateOf(definition)).toMatchObject({
    state: "blocked",
    reason: expect.stringContaining("A rewrite changed objects, or may have, and ended before it had verified all of them"),
  });
  await expect(removal(definition)).rejects.toMatchObject({ message: expect.stringContaining("some may be stored as v1beta1") });
  expect(await rewrite(definition, { acceptUnseen: true })).toMatchObject({ phase: "succeeded" });
  expect(await stateOf(definition)).toMatchObject({ state: "current" });
  expect(await storedAs(definition)).toEqual({ v1: 200 });
  await removal(definition);
});

// With the newest run's rejections alone (doubtIn in doubt.ts), or those of the remembered runs, the state is "current".
test("a rewrite that could not verify an object keeps the version from being removed, also after five runs that were cancelled", async () => {
  const definition = await prunedWithOldObjects(3);
  await denyUpdatesOfFrozen(api, definition);
  expect(await rewrite(definition, { verify: "every-object", acceptUnseen: true })).toMatchObject({
    phase: "unproven",
    counts: { rejected: 1 },
  });
  for (let cancelled = 0; cancelled < REMEMBERED_RUNS; cancelled += 1) {
    const { id } = await start(definition, { acceptUnseen: true });
    await cancelRewrite(connection, definition.name, id, soon()).catch(() => {});
    await endOf(definition, id);
  }
  expect(await stateOf(definition)).toMatchObject({ state: "blocked", reason: expect.stringContaining("could not verify 1 object") });
  await expect(removal(definition)).rejects.toMatchObject({ message: expect.stringContaining("could not verify 1 object") });
});
