import { expect } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import type { Match } from "#lib/cluster/testing/fault-proxy.ts";
import type { Cleaning } from "#lib/contract/objects/managed-fields.ts";
import { objectName, type SampleDefinition, type SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { type FaultBench, faultTest, listOf, patchOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { changeManagedFields } from "./change-managed-fields.ts";
import { cleanManagedFields } from "./clean-managed-fields.ts";

await openTestBench();

/** More than the first page has. */
const OBJECTS = 60;
const integer = { type: "integer" };
const pair = { type: "object", properties: { a: integer, b: integer } };
/** An entry that owns parts of `x` at v1beta1 would own nothing of it at v1; one that owns `size` can be moved. */
const versions = (storage: string): SampleVersion[] => [
  { name: "v1", storage: storage === "v1", properties: { size: integer, x: pair } },
  { name: "v1beta1", storage: storage === "v1beta1", properties: { size: integer, x: { ...pair, "x-kubernetes-map-type": "atomic" } } },
];

async function clean({ connection }: FaultBench, definition: SampleDefinition, dryRun = false): Promise<Cleaning> {
  const { crd } = await readCrd(connection, definition.name, soon());
  let last: Cleaning | undefined;
  for await (const now of cleanManagedFields(connection, crd, { versions: ["v1beta1"], dryRun }, soon())) last = now;
  return last ?? expect.fail("nothing was cleaned");
}

// Where the callback of changeManagedFields (clean-object.ts) can't refuse, the object is written, and "left unchanged" is untrue.
faultTest(
  "an entry that can't be moved, and that comes between the dry run and the write, keeps the object from being written",
  async (bench) => {
    const { cluster, proxy, define, flip, apply, rewrite } = bench;
    const definition = await define(versions("v1beta1"));
    await apply(definition, "v1beta1", "one", "other", { size: 1 });
    await flip(definition, versions("v1"));
    expect(await rewrite(definition)).toMatchObject({ phase: "succeeded" });
    const tried: Match = ({ method, path }) => method === "PATCH" && path.includes("/widgets/one?") && path.includes("dryRun=All");
    const held = proxy.hold(tried, "after");
    const written = proxy.seen.filter(patchOf(definition)).length;
    const ended = clean(bench, definition);
    await held.reached;
    await apply(definition, "v1beta1", "one", "owner", { x: { a: 1 } });
    const before = (await definition.storedValues(cluster.etcd)).get("one")?.text;
    held.release();
    expect(await ended).toMatchObject({
      ...{ complete: true, cleaned: 0, rejected: 1 },
      rejections: [{ reason: "OtherFields", message: expect.stringContaining("The object was left unchanged.") }],
    });
    expect(proxy.seen.filter(patchOf(definition))).toHaveLength(written);
    expect((await definition.storedValues(cluster.etcd)).get("one")?.text).toBe(before);
  },
);

/** Objects of which the first five can't be cleaned, and whose list expires after its first page. */
async function expiring({ proxy, define, apply, flip, rewrite }: FaultBench): Promise<SampleDefinition> {
  const definition = await define(versions("v1beta1"));
  for (let index = 0; index < OBJECTS; index += 1)
    await apply(definition, "v1beta1", objectName(index), "owner", index < 5 ? { x: { a: 1 } } : { size: 1 });
  await flip(definition, versions("v1"));
  expect(await rewrite(definition)).toMatchObject({ phase: "succeeded" });
  const nextPage: Match = (request) => listOf(definition)(request) && request.path.includes("continue=");
  const expired = { kind: "Status", apiVersion: "v1", status: "Failure", reason: "Expired", code: 410 };
  proxy.inject(nextPage, { kind: "answer", status: 410, body: JSON.stringify(expired) }, 1);
  return definition;
}

// Without begin (cleaning-tally.ts) the five count twice, and in a dry run those of the first page do.
for (const dryRun of [true, false])
  faultTest(`objects are counted once if the list expires while they are cleaned${dryRun ? " in a dry run" : ""}`, async (bench) => {
    const definition = await expiring(bench);
    expect(await clean(bench, definition, dryRun)).toMatchObject({
      ...{ complete: true, scanned: OBJECTS, cleaned: OBJECTS - 5, rejected: 5 },
      rejections: [{ reason: "OtherFields", count: 5 }],
    });
  });

// Without isNamesake (change-managed-fields.ts) the new object gets the deleted one's entries, of managers that never wrote it.
faultTest("an object created anew while a cleaning of its namesake went unanswered keeps its own managedFields", async (bench) => {
  const { api, cluster, proxy, define, flip, apply, rewrite } = bench;
  const definition = await define(versions("v1beta1"));
  await apply(definition, "v1beta1", "one", "owner", { size: 1 });
  await flip(definition, versions("v1"));
  expect(await rewrite(definition)).toMatchObject({ phase: "succeeded" });
  proxy.inject(patchOf(definition), { kind: "reset", when: "after" }, 1);
  const held = proxy.hold(patchOf(definition), "after");
  const ended = clean(bench, definition);
  await held.reached;
  const path = definition.path("v1", { name: "one" });
  await api.delete(path);
  const body = { apiVersion: `${definition.group}/v1`, kind: "Widget", metadata: { name: "one" }, spec: { size: 2 } };
  await api.create(definition.path("v1", { name: "" }), body);
  // As someone leaves it who resets the managedFields.
  await api.mergePatch(path, { metadata: { managedFields: [{}] } });
  const before = (await definition.storedValues(cluster.etcd)).get("one")?.text;
  held.release();
  expect(await ended).toMatchObject({ complete: true, cleaned: 0, gone: 1, rejected: 0 });
  expect((await definition.storedValues(cluster.etcd)).get("one")?.text).toBe(before);
});

// Without the comparison in changeManagedFields, a write that trusts a proof drops fields that the restore has brought back.
faultTest("an object that is older than it was when it was listed ends a cleaning: etcd was restored", async (bench) => {
  const definition = await bench.define(versions("v1"));
  await bench.apply(definition, "v1", "one", "owner", { size: 1 });
  const { crd } = await readCrd(bench.connection, definition.name, soon());
  const { metadata } = await bench.api.get(definition.path("v1", { name: "one" }));
  const listed = { namespace: "default", name: "one", uid: metadata.uid ?? "", resourceVersion: `${metadata.resourceVersion}0` };
  const change = changeManagedFields({ connection: bench.connection, crd, version: "v1", signal: soon() }, listed, (entries) => entries);
  await expect(change).rejects.toMatchObject({ phase: "failed", message: expect.stringContaining("etcd was restored") });
});
