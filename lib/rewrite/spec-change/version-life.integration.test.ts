import { expect, test } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { readVersionYaml } from "#lib/cluster/definitions/versions/version-yaml.ts";
import { putIntoEtcd, readEtcd } from "#lib/local-cluster/etcd.ts";
import type { DefinitionJson, SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { cancelRewrite } from "#lib/rewrite/commands/cancel-rewrite.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { updateRecord } from "#lib/rewrite/record/update-record.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { afterFlip } from "#lib/rewrite/testing/bench/stale-definition.ts";
import { breakableConversion } from "#lib/rewrite/testing/webhooks/breakable-conversion.ts";
import { changeVersion } from "./change-version.ts";
import { dropConversion } from "./drop-conversion.ts";
import { putBackConversion } from "./put-back-conversion.ts";
import { putBackVersion } from "./put-back-version.ts";
import { removeVersion } from "./remove-version.ts";

const bench = await openTestBench();
const { cluster, connection } = bench;

type Versions = { name: string; served: boolean; storage: boolean; deprecated?: boolean; deprecationWarning?: string; schema: object }[];

const versionsOf = async (definition: SampleDefinition) =>
  ((await definition.read()) as DefinitionJson & { spec: { versions: Versions } }).spec.versions;
const change = (definition: SampleDefinition, version: string, body: Parameters<typeof changeVersion>[3]) =>
  changeVersion(connection, definition.name, version, body, soon());
const remove = (definition: SampleDefinition, version: string) =>
  removeVersion(connection, definition.name, version, { confirm: version, acceptManagedFields: true }, soon());
const putBack = (definition: SampleDefinition, version: string, body: Parameters<typeof putBackVersion>[3] = {}) =>
  putBackVersion(connection, definition.name, version, body, soon());
const keptBy = async (definition: SampleDefinition) =>
  (await readCrd(connection, definition.name, soon())).crd.removedVersions.map(({ version }) => version);
/** Until the status shows the storage version, which a controller writes. */
const listed = (definition: SampleDefinition, storedVersions: string[]) =>
  expect.poll(async () => (await definition.read()).status.storedVersions).toEqual(storedVersions);

test("a version's whole life: storage and objects move on, it is no longer served, is removed, and comes back as it was", async () => {
  const odd = { size: { type: "integer", maximum: 1_000_000, default: 5 }, note: { type: "string", pattern: "^[^<]*$" } };
  const definition = await bench.define([{ name: "v1" }, { name: "v1beta1", storage: true, properties: odd }]);
  await definition.createObjects("v1beta1", 3);
  const before = await versionsOf(definition);

  await change(definition, "v1beta1", { deprecated: true, deprecationWarning: "move on" });
  await expect(remove(definition, "v1beta1")).rejects.toMatchObject({ message: expect.stringContaining("is the storage version") });
  await expect(change(definition, "v1beta1", { served: false })).rejects.toMatchObject({ nextStep: "Make v1 the storage version first." });
  await change(definition, "v1", { storage: true });
  await listed(definition, ["v1beta1", "v1"]);
  await expect(remove(definition, "v1beta1")).rejects.toMatchObject({ message: expect.stringContaining("is still served") });
  await change(definition, "v1beta1", { served: false });
  await expect(remove(definition, "v1beta1")).rejects.toMatchObject({ message: expect.stringContaining("status.storedVersions") });
  await change(definition, "v1beta1", { served: true });
  await change(definition, "v1beta1", { served: false });

  expect(await bench.rewrite(definition, { acceptUnseen: true })).toMatchObject({ phase: "succeeded" });
  await pruneStoredVersions(connection, definition.name, definition.name, soon());
  await expect(removeVersion(connection, definition.name, "v1beta1", { confirm: "v1beta1" }, soon())).rejects.toMatchObject({
    message: expect.stringMatching(/server-side apply fails .*, such as default\/widget-/),
    details: { managedFields: [{ namespace: "default", name: expect.any(String) }] },
  });
  await remove(definition, "v1beta1");
  expect((await versionsOf(definition)).map(({ name }) => name)).toEqual(["v1"]);

  await putBack(definition, "v1beta1");
  const [, back] = await versionsOf(definition);
  const [, was] = before;
  expect(back).toEqual({ ...was, served: false, storage: false, deprecated: true, deprecationWarning: "move on" });
  await change(definition, "v1beta1", { served: true, deprecated: false });
  expect((await versionsOf(definition))[1]).toEqual({ ...was, storage: false });
});

test("two versions that were removed in a row both come back, each as it was", async () => {
  const unserved = (name: string) => ({ name, served: false, properties: { [name]: { type: "string" } } });
  const definition = await bench.define([{ name: "v1", storage: true }, unserved("v1beta1"), unserved("v1alpha1")]);
  const before = await versionsOf(definition);
  await remove(definition, "v1alpha1");
  await remove(definition, "v1beta1");
  expect(await keptBy(definition)).toEqual(["v1beta1", "v1alpha1"]);

  const { generation } = (await definition.read()).metadata;
  await putBack(definition, "v1alpha1", { expectedGeneration: generation });
  expect(await keptBy(definition)).toEqual(["v1beta1"]);
  await expect(putBack(definition, "v1beta1", { expectedGeneration: generation })).rejects.toMatchObject({ code: "precondition_failed" });
  await putBack(definition, "v1beta1");
  expect(await keptBy(definition)).toEqual([]);
  expect((await versionsOf(definition)).toSorted((one, other) => one.name.localeCompare(other.name))).toEqual(
    before.toSorted((one, other) => one.name.localeCompare(other.name)),
  );
});

// Without hasFlags (isVersionSpec) such a version was no entry: its removal deleted the copies of all others, and its YAML was "not found".
test("a version without a schema, from before apiextensions.k8s.io/v1, is kept beside the others, and comes back", async () => {
  const definition = await bench.define([
    { name: "v1", storage: true },
    { name: "v1beta1", served: false },
    { name: "v1alpha1", served: false, properties: { old: { type: "string" } } },
  ]);
  await remove(definition, "v1alpha1");
  const [entry] = await readEtcd(cluster.etcd, `/registry/apiextensions.k8s.io/customresourcedefinitions/${definition.name}`);
  const stored = JSON.parse(Buffer.from(entry?.value ?? []).toString("utf8")) as { spec: { validation?: object } };
  const spec = { ...stored.spec, validation: undefined, preserveUnknownFields: true };
  await putIntoEtcd(cluster.etcd, entry?.key ?? "", JSON.stringify({ ...stored, spec }));
  const before = await versionsOf(definition);
  expect(before[1]).toEqual({ name: "v1beta1", served: false, storage: false });

  expect(await readVersionYaml(connection, definition.name, "v1beta1", soon())).toContain("name: v1beta1");
  await remove(definition, "v1beta1");
  expect(await keptBy(definition)).toEqual(["v1beta1", "v1alpha1"]);
  await putBack(definition, "v1beta1");
  expect(await versionsOf(definition)).toEqual(before);
  expect(await keptBy(definition)).toEqual(["v1alpha1"]);
});

test("a version put back from YAML keeps the saved copy, unless that is the same", async () => {
  const definition = await bench.define([
    { name: "v1", storage: true },
    { name: "v1beta1", served: false, properties: { size: { type: "integer", maximum: 9_000 } } },
  ]);
  const yaml = await readVersionYaml(connection, definition.name, "v1beta1", soon());
  await remove(definition, "v1beta1");
  const { crd } = await readCrd(connection, definition.name, soon());

  const another = await putBack(definition, "v1beta1", { yaml: yaml.replace("9000", "8000") });
  expect(another.removedVersions).toEqual(crd.removedVersions);
  await remove(definition, "v1beta1");
  await putBack(definition, "v1beta1");
  expect(await keptBy(definition)).toEqual(["v1beta1"]);

  await remove(definition, "v1beta1");
  expect(await keptBy(definition)).toEqual(["v1beta1", "v1beta1"]);
  await putBack(definition, "v1beta1", { yaml: yaml.replace("9000", "8000") });
  expect((await readCrd(connection, definition.name, soon())).crd.removedVersions).toEqual(crd.removedVersions);
});

test("a change applies to the spec that was seen, and reports what changed meanwhile", async () => {
  const definition = await bench.define(afterFlip);
  const { generation } = (await definition.read()).metadata;
  await change(definition, "v1beta1", { deprecated: true, expectedGeneration: generation });
  await expect(change(definition, "v1beta1", { served: false, expectedGeneration: generation })).rejects.toMatchObject({
    code: "precondition_failed",
    message: expect.stringContaining("v1beta1 served deprecated"),
  });
  expect((await versionsOf(definition))[1]?.served).toBe(true);
});

test("the conversion webhook can be dropped with the last other version, and comes back as it was", async () => {
  const { conversion } = await breakableConversion();
  const definition = await bench.define(
    [
      { name: "v1", storage: true },
      { name: "v1beta1", served: false },
    ],
    conversion,
  );
  const conversionOf = async () => ((await definition.read()) as DefinitionJson & { spec: { conversion: object } }).spec.conversion;
  const before = await conversionOf();
  await expect(dropConversion(connection, definition.name, {}, soon())).rejects.toMatchObject({
    message: expect.stringContaining("the webhook converts between them"),
  });
  expect(await conversionOf()).toEqual(before);

  await remove(definition, "v1beta1");
  const { generation } = (await definition.read()).metadata;
  await expect(dropConversion(connection, definition.name, { expectedGeneration: generation - 1 }, soon())).rejects.toMatchObject({
    code: "precondition_failed",
  });
  const dropped = await dropConversion(connection, definition.name, { expectedGeneration: generation }, soon());
  expect(await conversionOf()).toEqual({ strategy: "None" });
  expect(dropped.droppedConversion?.by).toBe(dropped.removedVersions[0]?.by);

  await expect(putBackConversion(connection, definition.name, { expectedGeneration: generation }, soon())).rejects.toMatchObject({
    code: "precondition_failed",
  });
  expect(await putBackConversion(connection, definition.name, {}, soon())).toMatchObject({ droppedConversion: null });
  expect(await conversionOf()).toEqual(before);
  await expect(putBackConversion(connection, definition.name, {}, soon())).rejects.toMatchObject({
    message: "A conversion webhook is already set.",
  });
});

// With one field manager for both (crds.ts) each renewal of a run's record moves the time, and the settle wait never ends.
test("crdshift's writes of its record don't look like a spec change, even after it has changed the spec", async () => {
  const definition = await bench.define(afterFlip);
  const { specChangedAt } = await change(definition, "v1beta1", { deprecated: true });
  const laterThan = Date.parse(specChangedAt ?? "") + 1_000;
  await expect.poll(async () => (await readCrd(connection, definition.name, soon())).serverTime).toBeGreaterThan(laterThan);
  const written = await updateRecord(connection, definition.name, (_, record) => ({ ...record, holder: "somebody" }), soon());
  expect(written.specChangedAt).toBe(specChangedAt);
});

test("an API server rejection is reported at its field", async () => {
  const definition = await bench.define(afterFlip);
  await expect(change(definition, "v1beta1", { deprecationWarning: "not deprecated" })).rejects.toMatchObject({
    code: "cluster_rejected",
    details: { fields: [{ field: "spec.versions[1].deprecationWarning", message: expect.stringContaining("deprecated") }] },
  });
});

test("changes are refused while a rewrite is active, and for missing versions", async () => {
  const definition = await bench.stale(60);
  const { id } = await bench.start(definition, { acceptUnseen: true, maxPerSecond: 1 });
  const refusal = { code: "conflict", message: expect.stringContaining("A rewrite is in progress") };
  await expect(change(definition, "v1beta1", { served: false })).rejects.toMatchObject(refusal);
  await cancelRewrite(connection, definition.name, id, soon());
  const unknown = { code: "not_found", message: `${definition.name} has no version v2.` };
  await expect(change(definition, "v2", { served: false })).rejects.toMatchObject(unknown);
  await expect(change(definition, "v1", { served: true })).rejects.toMatchObject({ message: "v1 already has these settings." });
});
