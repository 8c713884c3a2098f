import { expect } from "vitest";
import { objectName } from "#lib/local-cluster/sample-definition.ts";
import { faultTest, patchOf } from "#lib/rewrite/testing/bench/fault-test.ts";

// With server-side apply in place of the merge patch (object-patches.ts) both deleted objects come back.
faultTest("objects deleted, or deleted and recreated, mid-run: none is revived, and the new ones stay unchanged", async (bench) => {
  const { api, cluster, stale, proxy, start, endOf, changes } = bench;
  const definition = await stale(100);
  const [deleted, recreated] = [objectName(10), objectName(11)];
  const held = [proxy.hold(patchOf(definition, deleted), "before"), proxy.hold(patchOf(definition, recreated), "before")];
  const { id } = await start(definition, { acceptUnseen: true });
  await Promise.all(held.map(({ reached }) => reached));
  for (const name of [deleted, recreated]) await api.delete(definition.path("v1", { name }));
  const body = { apiVersion: `${definition.group}/v1beta1`, kind: "Widget", metadata: { name: recreated }, spec: { new: true } };
  const { metadata } = await api.create(definition.path("v1beta1", { name: "" }), body);
  for (const { release } of held) release();

  const end = await endOf(definition, id);
  expect(end).toMatchObject({ phase: "succeeded", counts: { total: 100, gone: 1, rejected: 0, remaining: 0 } });
  const stored = await definition.storedValues(cluster.etcd);
  expect(stored.size).toBe(99);
  expect(stored.get(recreated)).toMatchObject({
    apiVersion: `${definition.group}/v1`,
    specText: '{"new":true}',
    metadata: { uid: metadata.uid },
  });
  const created = (await changes()).filter((change) => change.created && change.key.startsWith(`/registry/${definition.group}/`));
  expect(created).toHaveLength(101);
});
