import { expect } from "vitest";
import { putIntoEtcd } from "#lib/local-cluster/etcd.ts";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { type FaultBench, faultTest } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { afterFlip, beforeFlip } from "#lib/rewrite/testing/bench/stale-definition.ts";
import { deletionWebhook, reviewServer, sendJson } from "#lib/rewrite/testing/webhooks/webhook-server.ts";

const OBJECTS = 6;

// What only the API server's --request-timeout limits. Without deletionTimestamp (isSkipped in pass.ts) no rewrite looks at them.
faultTest(
  "a deletion of many objects that outlasts the settle wait stores some at the old version: any later rewrite finds them",
  async (bench) => {
    const { api, connection, define, flip, rewrite, storedAs, cluster } = bench;
    const definition = await define(beforeFlip);
    await definition.createObjects("v1beta1", OBJECTS);
    const heldBack = objectName(0);
    const byName = (name: string) => definition.path("v1", { name });
    await api.mergePatch(byName(heldBack), { metadata: { finalizers: ["example.com/hold"] } });
    const held = await heldDeletion(bench, definition, heldBack);

    const deletion = api.request("DELETE", `${definition.path("v1beta1", { name: "" })}?fieldSelector=metadata.name%3D${heldBack}`);
    await held.reached;
    await flip(definition, afterFlip);
    expect(await rewrite(definition, { acceptUnseen: true })).toMatchObject({ phase: "succeeded", counts: { rewritten: OBJECTS } });
    expect(await storedAs(definition)).toEqual({ v1: OBJECTS });

    held.release();
    await deletion;
    expect((await definition.storedValues(cluster.etcd)).get(heldBack)?.text).toContain("deletionTimestamp");
    expect(await storedAs(definition)).toEqual({ v1: OBJECTS - 1, v1beta1: 1 });
    const found = await rewrite(definition, { acceptUnseen: true });
    expect(found).toMatchObject({ phase: "succeeded", counts: { rewritten: 1 } });
    expect(found.statusReason).toContain("--request-timeout");
    expect(await storedAs(definition)).toEqual({ v1: OBJECTS });
    await pruneStoredVersions(connection, definition.name, definition.name, soon());
    await api.mergePatch(byName(heldBack), { metadata: { finalizers: null } });
  },
);

// Without isMarkedSince (rewrite-objects.ts) the run warns of a slow deletion, since its own write is above the settle point.
faultTest("an object that has been terminating for an hour is rewritten without a word about a slow deletion", async (bench) => {
  const { api, define, flip, rewrite, storedAs, cluster } = bench;
  const definition = await define(beforeFlip);
  await definition.createObjects("v1beta1", 1);
  const name = objectName(0);
  await api.mergePatch(definition.path("v1", { name }), { metadata: { finalizers: ["example.com/hold"] } });
  await api.delete(definition.path("v1", { name }));
  const text = (await definition.storedValues(cluster.etcd)).get(name)?.text ?? "";
  const anHourAgo = new Date(Date.now() - 3_600_000).toISOString().replace(/\.\d+Z$/, "Z");
  const marked = text.replace(/"deletionTimestamp":"[^"]+"/, `"deletionTimestamp":"${anHourAgo}"`);
  await putIntoEtcd(cluster.etcd, `/registry/${definition.group}/widgets/default/${name}`, marked);
  await flip(definition, afterFlip);
  const end = await rewrite(definition, { acceptUnseen: true });
  expect(end).toMatchObject({ phase: "succeeded", statusReason: null, counts: { rewritten: 1 } });
  expect(await storedAs(definition)).toEqual({ v1: 1 });
  await api.mergePatch(definition.path("v1", { name }), { metadata: { finalizers: null } });
});

// With the larger of both (rewrite-objects.ts) it tells of one.
faultTest("what a deletion marks anew and what it stores again count together", async (bench) => {
  const { api, define, flip, rewrite, cluster } = bench;
  const definition = await define(beforeFlip);
  await definition.createObjects("v1beta1", 2);
  const [again, anew] = [objectName(0), objectName(1)];
  for (const name of [again, anew])
    await api.mergePatch(definition.path("v1", { name }), { metadata: { finalizers: ["example.com/hold"] } });
  const text = (await definition.storedValues(cluster.etcd)).get(again)?.text ?? "";
  await flip(definition, afterFlip);
  expect(await rewrite(definition, { acceptUnseen: true })).toMatchObject({ phase: "succeeded", statusReason: null });
  const marked = '"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z","deletionGracePeriodSeconds":0,';
  await putIntoEtcd(cluster.etcd, `/registry/${definition.group}/widgets/default/${again}`, text.replace('"metadata":{', marked));
  await api.delete(definition.path("v1", { name: anew }));
  const end = await rewrite(definition, { acceptUnseen: true });
  expect(end).toMatchObject({ phase: "succeeded", statusReason: expect.stringContaining("deletion of 2 objects") });
  for (const name of [again, anew]) await api.mergePatch(definition.path("v1", { name }), { metadata: { finalizers: null } });
});

/** A validating webhook that holds the deletion of this object until `release`. In force when this returns. */
async function heldDeletion({ api }: FaultBench, definition: SampleDefinition, name: string) {
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const { clientConfig, calls } = await reviewServer(async ({ apiVersion, kind, request }, response) => {
    if (request.oldObject?.metadata.name === name) {
      reached.resolve();
      await released.promise;
    }
    sendJson(response, { apiVersion, kind, response: { uid: request.uid, allowed: true } });
  });
  await deletionWebhook(api, definition, clientConfig);
  const tryAnother = () => api.delete(`${definition.path("v1", { name: objectName(1) })}?dryRun=All`).then(calls);
  await expect.poll(tryAnother, { timeout: 30_000 }).toBeGreaterThan(0);
  return { reached: reached.promise, release: released.resolve };
}
