import { expect, test } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { forgetFlipLosses } from "#lib/cluster/definitions/evidence/remembered-flip-losses.ts";
import type { Match } from "#lib/cluster/testing/fault-proxy.ts";
import { objectName, type SampleDefinition, type SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { logActionsTo, untilRecorded } from "#lib/rewrite/record/record-action.ts";
import { faultTest, listOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { beforeFlip } from "#lib/rewrite/testing/bench/stale-definition.ts";
import type { TestBench } from "#lib/rewrite/testing/bench/test-bench.ts";
import { changeVersion } from "./change-version.ts";
import { flipLosses } from "./flip-losses.ts";

const bench = await openTestBench();
const { cluster, api } = bench;

const told: string[] = [];
logActionsTo((line) => told.push(line));

const size = { type: "integer" };
/** v1 lacks `note` and v1beta1 lacks `extra`, without conversion. */
const narrower: SampleVersion[] = [
  { name: "v1", properties: { size, extra: { type: "string" } } },
  { name: "v1beta1", storage: true, properties: { size, note: { type: "string" } } },
];
/** More than a sample. */
const OBJECTS = 205;
const noteOf = (noted: number) => (index: number) => ({ size: index, ...(index < noted && { note: "precious" }) });

async function withObjects({ define }: TestBench, versions: SampleVersion[], count: number, noted = 0): Promise<SampleDefinition> {
  const definition = await define(versions);
  await definition.createObjects("v1beta1", count, noteOf(noted));
  return definition;
}

async function lossesOf(definition: SampleDefinition, to = "v1", { connection }: Pick<TestBench, "connection"> = bench) {
  const { crd } = await readCrd(connection, definition.name, soon());
  return flipLosses(connection, crd, to, soon());
}

function flipTo(
  definition: SampleDefinition,
  version: string,
  body: Parameters<typeof changeVersion>[3] = {},
  { connection }: Pick<TestBench, "connection"> = bench,
) {
  return changeVersion(connection, definition.name, version, { storage: true, ...body }, soon());
}

/** Writes an object, as any client might, until it is stored as `version`. Returns its value in etcd. */
async function writtenAs(definition: SampleDefinition, version: string, name: string, change: object): Promise<string> {
  const stored = async () => (await definition.storedValues(cluster.etcd)).get(name);
  let writes = 0;
  const write = async () => {
    writes += 1;
    await api.mergePatch(definition.path(version, { name }), { ...change, metadata: { labels: { writes: String(writes) } } });
    return (await stored())?.apiVersion;
  };
  // A flip is not effective at once.
  await expect.poll(write, { timeout: 20_000 }).toBe(`${definition.group}/${version}`);
  return (await stored())?.text ?? "";
}

test("a flip without conversion is held back by what objects would lose, and they do lose it; its rollback as well", async () => {
  const definition = await withObjects(bench, narrower, 6, 4);
  const { metadata } = await definition.read();
  const named = (index: number) => ({
    namespace: "default",
    name: objectName(index),
    version: "v1beta1",
    before: '"precious"',
    after: null,
  });
  const found = await lossesOf(definition);
  expect(found).toMatchObject({ from: "v1beta1", to: "v1", generation: metadata.generation, total: 6, checked: 6, unknownBecause: null });
  expect(found.losses).toEqual([{ kind: "dropped", path: "spec.note", objects: 4, examples: expect.any(Array) }]);
  expect(found.losses[0]?.examples.toSorted((one, other) => one.name.localeCompare(other.name))).toEqual([0, 1, 2, 3].map(named));

  await expect(flipTo(definition, "v1")).rejects.toMatchObject({
    code: "precondition_failed",
    message: expect.stringContaining("spec.note would be dropped in 4 objects"),
    details: { losses: found.losses.map(({ kind, path, objects }) => expect.objectContaining({ kind, path, objects })) },
  });
  expect((await definition.read()).metadata.generation).toBe(metadata.generation);

  await expect(flipTo(definition, "v1", { acceptLosses: ["spec.size"] })).rejects.toMatchObject({ code: "precondition_failed" });
  await flipTo(definition, "v1", { acceptLosses: ["spec.note"], expectedGeneration: metadata.generation });
  await untilRecorded();
  expect(told.filter((line) => line.includes(definition.name)).join()).toContain(
    "v1 is the storage version instead of v1beta1. Accepted: at the next write, spec.note is dropped in 4 objects.",
  );
  expect(await writtenAs(definition, "v1", objectName(0), { spec: { extra: "new" } })).not.toContain("precious");
  expect((await definition.storedValues(cluster.etcd)).get(objectName(1))?.text).toContain("precious");

  await expect(flipTo(definition, "v1beta1")).rejects.toMatchObject({
    message: expect.stringContaining("spec.extra would be dropped in 1 object"),
  });
  await flipTo(definition, "v1beta1", { acceptLosses: true });
  expect(await writtenAs(definition, "v1beta1", objectName(0), {})).not.toContain('"extra":"new"');
});

test("a flip that loses nothing passes silently", async () => {
  const same = await withObjects(bench, beforeFlip, 3);
  expect(await lossesOf(same)).toMatchObject({ total: 3, checked: 3, losses: [], unknownBecause: null });
  await flipTo(same, "v1");
  await untilRecorded();
  expect(told.filter((line) => line.includes(same.name)).join()).not.toContain("Accepted");
});

test("without objects a flip passes for any schemas, even to a version that was not served yet", async () => {
  const [v1, v1beta1] = narrower;
  if (!v1 || !v1beta1) throw new Error("narrower has two versions");
  const empty = await withObjects(bench, [{ ...v1, served: false }, v1beta1], 0);
  expect(await lossesOf(empty)).toMatchObject({ total: 0, checked: 0, losses: [], unknownBecause: null });
  await flipTo(empty, "v1", { served: true });

  const one = await withObjects(bench, [{ ...v1, served: false }, v1beta1], 1);
  expect(await lossesOf(one)).toMatchObject({ total: 1, checked: 0, unknownBecause: expect.stringContaining("Serve v1 first") });
  await expect(flipTo(one, "v1", { served: true })).rejects.toMatchObject({
    message: expect.stringContaining("crdshift can't tell what objects would lose"),
  });
});

test("fields that only an unserved storage version shows are unknown", async () => {
  const definition = await withObjects(bench, [...narrower, { name: "v1alpha1" }], 2, 1);
  await definition.setVersions([...narrower.map((version) => ({ ...version, served: version.name === "v1" })), { name: "v1alpha1" }]);
  const found = () => lossesOf(definition);
  await expect.poll(async () => (await found()).unknownBecause).toMatch(/^v1beta1 is not served/);
  expect(await found()).toMatchObject({ total: 2, checked: 2, losses: [{ kind: "dropped", path: "spec.note", objects: 1 }] });
});

// Without chance (flip-losses.ts) each check tries other objects. Without rememberFlipLosses the moved note is lost untold.
faultTest("a refused flip stays refused until its losses are accepted, or all objects were tried without them", async (faults) => {
  const definition = await withObjects(faults, narrower, OBJECTS);
  const note = (name: string, value: string | null) => api.mergePatch(definition.path("v1beta1", { name }), { spec: { note: value } });
  const triedBy = async (check: () => Promise<unknown>) => {
    const before = faults.proxy.seen.length;
    await check();
    const read = faults.proxy.seen.slice(before).filter(({ method, path }) => method === "GET" && path.includes("/v1beta1/namespaces/"));
    return [...new Set(read.map(({ path }) => path.split("/").at(-1) ?? ""))].toSorted();
  };
  const nothing = { total: OBJECTS, checked: 200, losses: [], unknownBecause: null };
  const sample = await triedBy(async () => expect(await lossesOf(definition, "v1", faults)).toMatchObject(nothing));
  expect(sample).toHaveLength(200);
  const inside = sample[100] ?? "";
  const outside = Array.from({ length: OBJECTS }, (_, index) => objectName(index)).find((name) => !sample.includes(name)) ?? "";

  await note(inside, "precious");
  const refused = { details: { losses: [expect.objectContaining({ path: "spec.note", objects: 1 })] } };
  await expect(flipTo(definition, "v1", {}, faults)).rejects.toMatchObject(refused);
  const { uid } = (await definition.read()).metadata;
  forgetFlipLosses(faults.connection, uid);
  expect(await triedBy(() => expect(flipTo(definition, "v1", {}, faults)).rejects.toMatchObject(refused))).toEqual(sample);

  await note(inside, null);
  await note(outside, "precious");
  await expect(flipTo(definition, "v1", {}, faults)).rejects.toMatchObject({
    ...refused,
    message: expect.stringContaining(`in 1 object; ${OBJECTS} of ${OBJECTS} objects checked`),
  });
  await note(outside, null);
  expect(await flipTo(definition, "v1", {}, faults)).toMatchObject({ warning: null });

  const warning = `200 of ${OBJECTS} objects checked.`;
  expect(await flipTo(definition, "v1beta1", {}, faults)).toMatchObject({ warning: `${warning} What the others would lose is unknown.` });
  await untilRecorded();
  const [first, second] = told.filter((line) => line.includes(definition.name));
  expect(first).not.toContain("tried");
  expect(second).toContain(`v1beta1 is the storage version instead of v1. ${warning}`);
});

test("with a webhook, the webhook decides, and nothing holds the flip back", async () => {
  const clientConfig = { url: "https://127.0.0.1:1/convert" };
  const webhook = { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1"] } };
  const definition = await bench.define(narrower, webhook);
  const found = await lossesOf(definition);
  expect(found).toMatchObject({ total: null, checked: 0, losses: [], unknownBecause: expect.stringContaining("webhook decides") });
  await flipTo(definition, "v1");
  await expect(lossesOf(definition, "v2")).rejects.toMatchObject({ code: "not_found" });
});

faultTest("objects that may not be listed hold a flip back until losses are accepted unseen", async (faults) => {
  const definition = await withObjects(faults, narrower, 2, 1);
  const body = JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", reason: "Forbidden", message: "no lists", code: 403 });
  const denied = { kind: "answer", status: 403, headers: { "content-type": "application/json" }, body } as const;
  faults.proxy.inject(listOf(definition), denied, Number.POSITIVE_INFINITY);
  await expect(flipTo(definition, "v1", {}, faults)).rejects.toMatchObject({ message: expect.stringContaining("no lists") });
  await flipTo(definition, "v1", { acceptLosses: true }, faults);
});

// Without steadily (compare-object.ts) the object is not known, or its note is missed.
faultTest("an object that changes during its check is checked again", async (faults) => {
  const definition = await withObjects(faults, narrower, 2);
  const name = objectName(0);
  const look: Match = ({ method, path }) => method === "GET" && path === definition.path("v1beta1", { name });
  const held = faults.proxy.hold(look, "after");
  const found = lossesOf(definition, "v1", faults);
  await held.reached;
  await api.mergePatch(definition.path("v1beta1", { name }), { spec: { note: "late" } });
  held.release();
  expect(await found).toMatchObject({ checked: 2, losses: [{ path: "spec.note", objects: 1 }], unknownBecause: null });
  expect(faults.proxy.seen.filter(look)).toHaveLength(2);
});
