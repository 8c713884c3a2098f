import { describe, expect, test } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { beginManagedFieldsCount } from "#lib/cluster/fleet/remember-counts.ts";
import { countManagedFields } from "#lib/cluster/objects/count-managed-fields.ts";
import type { Cleaning, CleanManagedFields, ManagedFields } from "#lib/contract/objects/managed-fields.ts";
import { objectName, type SampleDefinition, type StoredValue } from "#lib/local-cluster/sample-definition.ts";
import { cancelRewrite } from "#lib/rewrite/commands/cancel-rewrite.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { busyWriters } from "#lib/rewrite/testing/etcd/busy-writers.ts";
import { cleanManagedFields } from "./clean-managed-fields.ts";

const bench = await openTestBench();
const { cluster, api, connection, define, flip, apply } = bench;

const OBJECTS = 12;
const indexes = Array.from({ length: OBJECTS }, (_, index) => index);

/**
 * Objects that `owner` applied and `controller` patched at v1alpha1, a version that is gone; every third was patched by `controller`
 * at v1beta1 too, and every fourth only by `late`, at v1. The storage version was v1beta1 and is v1.
 */
async function definitionWithOldEntries(): Promise<SampleDefinition> {
  const definition = await define([{ name: "v1alpha1" }, { name: "v1beta1", storage: true }, { name: "v1" }]);
  for (const index of indexes) {
    const name = objectName(index);
    if (index % 4 === 0) {
      await apply(definition, "v1", name, "late", { size: index });
      continue;
    }
    await apply(definition, "v1alpha1", name, "owner", { size: index, note: "mine" });
    await patchAs(definition, "v1alpha1", name, "controller", { colour: "red" });
    if (index % 3 === 0) await patchAs(definition, "v1beta1", name, "controller", { shape: "round" });
  }
  await flip(definition, [{ name: "v1", storage: true }, { name: "v1beta1" }]);
  return definition;
}

const patchAs = (definition: SampleDefinition, version: string, name: string, manager: string, spec: object) =>
  api.mergePatch(`${definition.path(version, { name })}?fieldManager=${manager}`, { spec });

async function countOf(definition: SampleDefinition): Promise<ManagedFields> {
  const { crd } = await readCrd(connection, definition.name, soon());
  let counted: ManagedFields | undefined;
  for await (const now of countManagedFields(connection, crd, soon())) counted = now;
  return counted ?? expect.fail("nothing was counted");
}

async function clean(definition: SampleDefinition, options: CleanManagedFields, signal = soon()): Promise<Cleaning> {
  const { crd } = await readCrd(connection, definition.name, soon());
  let cleaning: Cleaning | undefined;
  for await (const now of cleanManagedFields(connection, crd, options, signal)) cleaning = now;
  return cleaning ?? expect.fail("nothing was cleaned");
}

/** The entries of a stored object as `manager operation version`, each with the paths that it owns. */
function entriesOf(stored: StoredValue | undefined): Record<string, string[]> {
  const entries = stored?.metadata.managedFields ?? [];
  return Object.fromEntries(entries.map((entry) => [`${entry.manager} ${entry.operation} ${versionOf(entry)}`, owned(entry.fieldsV1)]));
}

const versionOf = ({ apiVersion }: { apiVersion: string }) => apiVersion.slice(apiVersion.indexOf("/") + 1);

function owned(fields: object, path = ""): string[] {
  const inner = Object.entries(fields).filter(([key]) => key !== ".");
  if (inner.length === 0) return [path];
  return inner.flatMap(([key, value]) => owned(value, `${path}/${key.replace(/^f:/, "")}`)).sort();
}

describe("counting managed fields", () => {
  test("reports how many objects name each version, and by which managers, as in etcd", async () => {
    const definition = await definitionWithOldEntries();
    const objects = new Map<string, Set<string>>();
    for (const [name, { metadata }] of await definition.storedValues(cluster.etcd)) {
      for (const entry of metadata.managedFields ?? []) {
        for (const key of [versionOf(entry), `${versionOf(entry)} ${entry.manager} ${entry.operation}`]) {
          objects.set(key, (objects.get(key) ?? new Set()).add(name));
        }
      }
    }
    const counted = await countOf(definition);
    expect(counted).toMatchObject({ total: OBJECTS, scanned: OBJECTS, complete: true });
    const told = counted.versions.flatMap(({ version, objects: count, managers }) => [
      [version, count],
      ...managers.map((one) => [`${version} ${one.manager} ${one.operation}`, one.objects]),
    ]);
    expect(Object.fromEntries(told)).toEqual(Object.fromEntries([...objects].map(([key, names]) => [key, names.size])));
    expect(Object.fromEntries(told)).toMatchObject({ "v1alpha1 owner Apply": 9, "v1beta1 controller Update": 3, "v1 late Apply": 3 });
  });

  test("reports an entry's subresource", async () => {
    const definition = await define([{ name: "v1", storage: true, hasStatus: true }]);
    await definition.createObjects("v1", 2);
    const status = `${definition.path("v1", { name: objectName(0) })}/status?fieldManager=controller`;
    await api.mergePatch(status, { status: { ready: true } });
    const [v1] = (await countOf(definition)).versions;
    expect(v1?.managers).toContainEqual({
      ...{ manager: "controller", operation: "Update", subresource: "status", objects: 1 },
      lastWrite: expect.any(String),
    });
  });

  test("reports when each manager last wrote, overall and at that version only", async () => {
    const definition = await define([{ name: "v1", storage: true }, { name: "v1beta1" }]);
    await definition.createObjects("v1", 3, () => ({ size: 1, note: "mine" }));
    const entry = (manager: string, version: string, field: string, time?: string) => ({
      ...{ manager, operation: "Update", apiVersion: `${definition.group}/${version}`, fieldsType: "FieldsV1" },
      ...{ fieldsV1: { "f:spec": { [`f:${field}`]: {} } }, ...(time && { time }) },
    });
    const undated = entry("undated", "v1beta1", "note");
    for (const [index, entries] of [
      [entry("controller", "v1beta1", "size", "2026-01-01T10:00:00Z"), undated],
      [entry("controller", "v1beta1", "size", "2026-03-01T10:00:00Z"), undated],
      [entry("controller", "v1beta1", "size", "2026-02-01T10:00:00Z"), entry("controller", "v1", "size", "2026-05-01T10:00:00Z"), undated],
    ].entries()) {
      const patch = [{ op: "replace", path: "/metadata/managedFields", value: entries }];
      await api.request("PATCH", definition.path("v1", { name: objectName(index) }), patch, "application/json-patch+json");
    }
    const { versions } = await countOf(definition);
    expect(versions.find(({ version }) => version === "v1beta1")?.managers).toEqual([
      { manager: "undated", operation: "Update", subresource: "", objects: 3, lastWrite: null },
      { manager: "controller", operation: "Update", subresource: "", objects: 3, lastWrite: "2026-03-01T10:00:00.000Z" },
    ]);
    expect(versions.find(({ version }) => version === "v1")?.managers).toMatchObject([{ lastWrite: "2026-05-01T10:00:00.000Z" }]);
  });
});

describe("cleaning managed fields", () => {
  test("shows before and after in a dry run, and stores nothing", async () => {
    const definition = await definitionWithOldEntries();
    const before = await definition.storedValues(cluster.etcd);
    const cleaning = await clean(definition, { versions: ["v1alpha1"], dryRun: true });
    expect(cleaning).toMatchObject({
      ...{ complete: true, dryRun: true, version: "v1", total: OBJECTS, scanned: OBJECTS, cleaned: 9, untouched: 3, rejected: 0, gone: 0 },
    });
    expect(cleaning.examples).toHaveLength(5);
    for (const { object, before: old, after } of cleaning.examples) {
      expect(Number(object.name.slice("widget-".length)) % 4).not.toBe(0);
      expect(old).toContainEqual({ manager: "owner", operation: "Apply", version: "v1alpha1", subresource: "" });
      expect(after).toContainEqual({ manager: "owner", operation: "Apply", version: "v1", subresource: "" });
      expect(after.filter(({ version, manager }) => version === "v1alpha1" || manager === "crdshift")).toEqual([]);
    }
    expect(await definition.storedValues(cluster.etcd)).toEqual(before);
  });

  test("cleans entries in etcd, keeps every field's owner, and the owners' server-side apply works again", async () => {
    const definition = await definitionWithOldEntries();
    const name = objectName(3);
    await expect(apply(definition, "v1", name, "owner", { size: 30, note: "mine" })).rejects.toThrow(/500 .*invalid group\/version/);
    const before = await definition.storedValues(cluster.etcd);
    expect(await clean(definition, { versions: ["v1alpha1"] })).toMatchObject({ complete: true, cleaned: 9, untouched: 3, rejected: 0 });

    const after = await definition.storedValues(cluster.etcd);
    for (const [key, old] of before) {
      const now = after.get(key);
      const relabelled = Object.entries(entriesOf(old)).map(([entry, fields]) => [entry.replace("v1alpha1", "v1"), fields]);
      expect(entriesOf(now), key).toEqual(Object.fromEntries(relabelled));
      expect([now?.specText, now?.metadata.generation]).toEqual([old.specText, old.metadata.generation]);
      // No entry was to be cleaned: not written at all.
      if (!old.text.includes("v1alpha1")) expect(now?.modRevision).toBe(old.modRevision);
    }
    expect((await countOf(definition)).versions.map(({ version }) => version).sort()).toEqual(["v1", "v1beta1"]);

    await apply(definition, "v1", name, "owner", { size: 30 });
    expect((await api.get(definition.path("v1", { name }))).spec).toEqual({ size: 30, colour: "red", shape: "round" });
    await expect(apply(definition, "v1", name, "owner", { size: 30, colour: "blue" })).rejects.toThrow(/409 .*"controller"/);
  });

  test("merges a manager's entries at several versions without losing a field", async () => {
    const definition = await definitionWithOldEntries();
    const name = objectName(3);
    expect(entriesOf((await definition.storedValues(cluster.etcd)).get(name))).toMatchObject({
      "controller Update v1alpha1": ["/spec/colour"],
      "controller Update v1beta1": ["/spec/shape"],
    });
    await clean(definition, { versions: ["v1alpha1", "v1beta1"] });
    expect(entriesOf((await definition.storedValues(cluster.etcd)).get(name))).toEqual({
      "controller Update v1": ["/spec/colour", "/spec/shape"],
      "owner Apply v1": ["/spec/note", "/spec/size"],
    });
  });

  test("finds nothing to do the second time", async () => {
    const definition = await definitionWithOldEntries();
    await clean(definition, { versions: ["v1alpha1"] });
    const before = await definition.storedValues(cluster.etcd);
    expect(await clean(definition, { versions: ["v1alpha1"] })).toMatchObject({ complete: true, cleaned: 0, untouched: OBJECTS });
    expect(await definition.storedValues(cluster.etcd)).toEqual(before);
  });

  // Without noteCleaning (forgetCounts) the count says for good that server-side apply fails for all that are clean by now.
  test("outdates a count that began before it ended", async () => {
    const definition = await definitionWithOldEntries();
    const { crd } = await readCrd(connection, definition.name, soon());
    const remember = beginManagedFieldsCount(connection, crd);
    await clean(definition, { versions: ["v1alpha1"] });
    remember(new Map([["v1alpha1", OBJECTS]]));
    expect(fleetOf(connection).crd(definition.name)?.managedFieldsCount?.versions).toEqual(new Map());
  });

  test("loses neither the values nor the ownership of concurrent writers", async () => {
    // A version that is still there: were it gone, any write of theirs would empty managedFields.
    const definition = await define([{ name: "v1", storage: true }, { name: "v1beta1" }]);
    for (const index of indexes) await apply(definition, "v1beta1", objectName(index), "owner", { size: index });
    const writers = busyWriters(bench, definition, OBJECTS);
    const cleaning = await clean(definition, { versions: ["v1beta1"] });
    expect(cleaning).toMatchObject({ complete: true, scanned: OBJECTS, cleaned: OBJECTS, rejected: 0 });
    const owned = await writers.expectNothingLost();
    for (const [name, entries] of owned) {
      expect(entries, name).toEqual([expect.objectContaining({ operation: "Update", fieldsV1: { "f:spec": { "f:count": {} } } })]);
    }
    for (const [name, stored] of await definition.storedValues(cluster.etcd)) {
      expect(entriesOf(stored), name).toMatchObject({ "owner Apply v1": ["/spec/size"] });
    }
  });

  test("reads again after a write between its read and its write, and keeps the writer's entry", async () => {
    const definition = await define([{ name: "v1", storage: true }, { name: "v1beta1" }]);
    for (const index of indexes) await apply(definition, "v1beta1", objectName(index), "owner", { size: index });
    const met = new Set<string>();
    const dispatcher = connection.dispatcher.compose((dispatch) => (options, handler) => {
      const name = /widgets\/(widget-\d+)/.exec(options.path)?.[1];
      if (options.method !== "PATCH" || options.path.includes("dryRun") || !name || met.has(name)) return dispatch(options, handler);
      met.add(name);
      const inBetween = patchAs(definition, "v1", name, "in-between", { colour: "red" });
      void inBetween.then(() => dispatch(options, handler));
      return true;
    });
    const { crd } = await readCrd(connection, definition.name, soon());
    let cleaning: Cleaning | undefined;
    const cleanings = cleanManagedFields({ ...connection, dispatcher }, crd, { versions: ["v1beta1"] }, soon());
    for await (const now of cleanings) cleaning = now;
    expect(met.size).toBe(OBJECTS);
    expect(cleaning).toMatchObject({ complete: true, cleaned: OBJECTS, rejected: 0 });
    for (const [name, stored] of await definition.storedValues(cluster.etcd)) {
      expect(entriesOf(stored), name).toEqual({ "owner Apply v1": ["/spec/size"], "in-between Update v1": ["/spec/colour"] });
    }
  });

  test("stops writing when its reader leaves", async () => {
    const definition = await define([{ name: "v1alpha1" }, { name: "v1", storage: true }]);
    await definition.createObjects("v1alpha1", 1_200);
    const { crd } = await readCrd(connection, definition.name, soon());
    for await (const { cleaned } of cleanManagedFields(connection, crd, { versions: ["v1alpha1"] }, soon())) if (cleaned > 20) break;
    const old = async () =>
      [...(await definition.storedValues(cluster.etcd)).values()].filter(({ text }) => text.includes("v1alpha1")).length;
    // What was under way when the reader left may still be stored: a dozen at most.
    const left = await old();
    expect(left).toBeGreaterThan(0);
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(left - (await old())).toBeLessThanOrEqual(12);
  });

  test("is refused for the storage version's own entries, and while a rewrite is active", async () => {
    const definition = await definitionWithOldEntries();
    await expect(clean(definition, { versions: ["v1"] })).rejects.toMatchObject({ code: "invalid_input" });
    const run = await bench.start(definition, { maxPerSecond: 1, acceptUnseen: true });
    await expect(clean(definition, { versions: ["v1alpha1"] })).rejects.toMatchObject({
      code: "conflict",
      details: { run: { id: run.id } },
    });
    await cancelRewrite(connection, definition.name, run.id, soon());
  });
});
