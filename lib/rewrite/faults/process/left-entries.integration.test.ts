import { expect } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { readHistory } from "#lib/cluster/history/read-history.ts";
import type { Match } from "#lib/cluster/testing/fault-proxy.ts";
import { objectName, type SampleDefinition, type SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { cancelRewrite } from "#lib/rewrite/commands/cancel-rewrite.ts";
import { cleanManagedFields } from "#lib/rewrite/managed-fields/clean-managed-fields.ts";
import { stopAllRuns } from "#lib/rewrite/run/running.ts";
import { type FaultBench, faultTest, patchOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";

const OBJECTS = 4;
const FOREVER = Number.POSITIVE_INFINITY;

const typed = (mode: object) => ({ size: { type: "integer" }, mode });
const versions = (storage: string): SampleVersion[] => [
  { name: "v1", storage: storage === "v1", properties: typed({ type: "string", default: "fast" }) },
  { name: "v1beta1", storage: storage === "v1beta1", properties: typed({ type: "string" }) },
];

/** Objects of "owner" that get a default of the new storage version when they are rewritten. */
async function defaulted({ define, apply, flip }: FaultBench): Promise<SampleDefinition> {
  const definition = await define(versions("v1beta1"));
  for (let index = 0; index < OBJECTS; index += 1) await apply(definition, "v1beta1", objectName(index), "owner", { size: index });
  await flip(definition, versions("v1"));
  return definition;
}

async function managersOf({ cluster }: FaultBench, definition: SampleDefinition): Promise<(string | undefined)[]> {
  const stored = [...(await definition.storedValues(cluster.etcd)).values()];
  return stored.flatMap(({ metadata }) => metadata.managedFields ?? []).map(({ manager }) => manager);
}

const ownersOnly = Array(OBJECTS).fill("owner");
/** The requests that take crdshift's entries back. */
const disownOf =
  (definition: SampleDefinition): Match =>
  (request) =>
    patchOf(definition)(request) && request.headers["content-type"]?.includes("json-patch") === true;

async function underWay({ proxy }: FaultBench, definition: SampleDefinition): Promise<void> {
  await expect.poll(() => proxy.seen.filter(disownOf(definition)).length).toBe(OBJECTS);
}

// Without outlasting (rewrite-objects.ts) each object keeps an entry of crdshift's, and its owner's next apply conflicts.
faultTest("a shutdown lets the requests end that take crdshift's entries back", async (bench) => {
  const definition = await defaulted(bench);
  const held = bench.proxy.hold(disownOf(definition), "before", FOREVER);
  const { id } = await bench.start(definition);
  await underWay(bench, definition);
  const stopped = stopAllRuns();
  held.release();
  await stopped;
  expect(await managersOf(bench, definition)).toEqual(ownersOnly);
  expect(await bench.run(definition, id)).toMatchObject({ phase: "interrupted", statusReason: "crdshift was shut down." });
});

// Without hasOwn (rewrite-objects.ts) no later run looks at these objects: they are above the settle point.
faultTest("a cancelled run tells which entries it leaves, and the next takes them back", async (bench) => {
  const { apply, connection, proxy, rewrite, start } = bench;
  const definition = await defaulted(bench);
  const held = proxy.hold(disownOf(definition), "before", FOREVER);
  const { id } = await start(definition);
  await underWay(bench, definition);
  const { statusReason } = await cancelRewrite(connection, definition.name, id, soon());
  expect(statusReason).toContain(`Cancelled. ${OBJECTS} objects still name crdshift in managedFields`);
  held.release();
  expect(await managersOf(bench, definition)).toContain("crdshift");
  expect(await rewrite(definition)).toMatchObject({ phase: "succeeded", statusReason: null });
  expect(await managersOf(bench, definition)).toEqual(ownersOnly);
  await apply(definition, "v1", objectName(0), "owner", { size: 1, mode: "slow" });
});

// Without hasOwn (clean-objects.ts) it passes over objects without an entry of the old version.
faultTest("cleaning takes back entries that crdshift left, too", async (bench) => {
  const { api, connection, rewrite } = bench;
  const definition = await defaulted(bench);
  expect(await rewrite(definition)).toMatchObject({ phase: "succeeded" });
  const { crd } = await readCrd(connection, definition.name, soon());
  const clean = () => Array.fromAsync(cleanManagedFields(connection, crd, { versions: ["v1beta1"] }, soon()));
  expect((await clean()).at(-1)).toMatchObject({ complete: true, cleaned: OBJECTS });
  await api.mergePatch(`${definition.path("v1", { name: objectName(0) })}?fieldManager=crdshift`, { spec: { mode: "left" } });
  expect(await managersOf(bench, definition)).toContain("crdshift");
  // It named no old version, so no object was cleaned of one.
  expect((await clean()).at(-1)).toMatchObject({ complete: true, cleaned: 0, takenBack: 1, untouched: OBJECTS - 1, rejected: 0 });
  expect(await managersOf(bench, definition)).toEqual(ownersOnly);
  const told = async () => {
    const { items } = await readHistory(connection, definition.name, soon());
    return items.filter(({ kind }) => kind === "cleaned").map(({ message }) => message);
  };
  await expect
    .poll(told, { timeout: 10_000 })
    .toContainEqual(expect.stringContaining("crdshift's own entry was removed from 1 other object."));
});

// Without the look at the dry run's answer (clean-object.ts) it writes the object, which loses all ownership where that can't be put back.
faultTest("cleaning leaves an entry of crdshift's where its dry run shows that the API server would empty managedFields", async (bench) => {
  const { api, connection, proxy, rewrite } = bench;
  const definition = await defaulted(bench);
  expect(await rewrite(definition)).toMatchObject({ phase: "succeeded" });
  await api.mergePatch(`${definition.path("v1", { name: objectName(0) })}?fieldManager=crdshift`, { spec: { mode: "left" } });
  const before = (await definition.storedValues(bench.cluster.etcd)).get(objectName(0))?.text;
  const tried: Match = ({ method, path, headers }) =>
    method === "PATCH" && path.includes("dryRun=All") && headers["content-type"]?.includes("json-patch") === true;
  const emptied = (body: string) => {
    const { metadata, ...rest } = JSON.parse(body) as { metadata: object };
    return JSON.stringify({ ...rest, metadata: { ...metadata, managedFields: [] } });
  };
  const edited = proxy.inject((request) => tried(request) && request.path.includes(objectName(0)), { kind: "edit", change: emptied });
  const { crd } = await readCrd(connection, definition.name, soon());
  const cleanings = await Array.fromAsync(cleanManagedFields(connection, crd, { versions: ["v1alpha1"] }, soon()));
  expect(edited.hits()).toBe(1);
  expect(cleanings.at(-1)).toMatchObject({ complete: true, cleaned: 0, rejected: 1, rejections: [{ reason: "OwnershipLost" }] });
  expect((await definition.storedValues(bench.cluster.etcd)).get(objectName(0))?.text).toBe(before);
});
