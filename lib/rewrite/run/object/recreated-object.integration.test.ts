import { expect } from "vitest";
import { objectName } from "#lib/local-cluster/sample-definition.ts";
import { faultTest, patchOf } from "#lib/rewrite/testing/bench/fault-test.ts";

// Without the uid in movedTo (patch-object.ts) the new object counts as rewritten, and gets the deleted one's managedFields.
faultTest("an object created anew while a write of its namesake went unanswered is not taken for it", async (bench) => {
  const { api, cluster, proxy, stale, start, endOf } = bench;
  const definition = await stale(1);
  const [name, path] = [objectName(0), definition.path("v1", { name: objectName(0) })];
  proxy.inject(patchOf(definition), { kind: "reset", when: "after" }, 1);
  const held = proxy.hold(patchOf(definition), "after");
  const { id } = await start(definition, { acceptUnseen: true });
  await held.reached;
  await api.delete(path);
  const body = { apiVersion: `${definition.group}/v1`, kind: "Widget", metadata: { name }, spec: { new: true } };
  await api.create(definition.path("v1", { name: "" }), body);
  // As someone leaves it who resets the managedFields.
  await api.mergePatch(path, { metadata: { managedFields: [{}] } });
  const before = (await definition.storedValues(cluster.etcd)).get(name)?.text;
  held.release();
  expect(await endOf(definition, id)).toMatchObject({
    phase: "succeeded",
    counts: { total: 1, rewritten: 0, alreadyCurrent: 1, rejected: 0 },
    ownership: { kept: 0, lost: 0 },
  });
  expect((await definition.storedValues(cluster.etcd)).get(name)?.text).toBe(before);
});
