import { describe, expect, test } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { listSummaries } from "#lib/cluster/fleet/list-summaries.ts";
import { countObjects } from "#lib/cluster/objects/object-counts.ts";
import type { Cleaning } from "#lib/contract/objects/managed-fields.ts";
import { nextStep } from "#lib/domain/definition/next-step.ts";
import { emptiesManagedFields } from "#lib/local-cluster/binaries/kubernetes-release.ts";
import { objectName, type SampleConversion, type SampleDefinition, type SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { cleanManagedFields } from "#lib/rewrite/managed-fields/clean-managed-fields.ts";
import { changeVersion } from "#lib/rewrite/spec-change/change-version.ts";
import { removeVersion } from "#lib/rewrite/spec-change/remove-version.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { conversionWebhook } from "#lib/rewrite/testing/webhooks/webhook-server.ts";

const bench = await openTestBench();
const { cluster, api, connection, define, flip, apply, rewrite } = bench;

const OBJECTS = 6;
const integer = { type: "integer" };
const string = { type: "string" };

/** Objects that `owner` and `other` applied at v1beta1 before v1 became the storage version. */
async function applied(v1: SampleVersion, v1beta1: SampleVersion, conversion?: SampleConversion): Promise<SampleDefinition> {
  const definition = await define(
    [
      { ...v1, storage: false },
      { ...v1beta1, storage: true },
    ],
    conversion,
  );
  for (let index = 0; index < OBJECTS; index++) {
    await apply(definition, "v1beta1", objectName(index), "owner", { size: index, target: "x" });
    await apply(definition, "v1beta1", objectName(index), "other", { note: "n" });
  }
  await flip(definition, [{ ...v1, storage: true }, v1beta1]);
  return definition;
}

const prune = (definition: SampleDefinition) => pruneStoredVersions(connection, definition.name, definition.name, soon());
const serve = (definition: SampleDefinition, served: boolean) => changeVersion(connection, definition.name, "v1beta1", { served }, soon());
const remove = (definition: SampleDefinition, body: { acceptManagedFields?: true } = {}) =>
  removeVersion(connection, definition.name, "v1beta1", { confirm: "v1beta1", ...body }, soon());
const detail = (definition: SampleDefinition) => readDetail(connection, definition.name, soon());

async function count(definition: SampleDefinition): Promise<void> {
  const { crd } = await readCrd(connection, definition.name, soon());
  for await (const _ of countObjects(connection, crd, soon()));
}

async function cleaning(definition: SampleDefinition): Promise<Cleaning> {
  const { crd } = await readCrd(connection, definition.name, soon());
  let cleaned: Cleaning | undefined;
  for await (const now of cleanManagedFields(connection, crd, { versions: ["v1beta1"] }, soon())) cleaned = now;
  return cleaned ?? expect.fail("nothing was cleaned");
}

const clean = async (definition: SampleDefinition) => (await cleaning(definition)).cleaned;

/** The managers of an object in etcd, each with the version that its entry names. */
async function managersOf(definition: SampleDefinition, index: number): Promise<string[]> {
  const stored = (await definition.storedValues(cluster.etcd)).get(objectName(index));
  return (stored?.metadata.managedFields ?? []).map(({ manager, apiVersion }) => `${manager} ${apiVersion.split("/")[1]}`).toSorted();
}

/** Tries an apply until the API server has forgotten v1beta1. A dry run: before that, an apply would leave an entry of its own. */
async function untilForgotten(definition: SampleDefinition): Promise<void> {
  const path = `${definition.path("v1", { name: objectName(0) })}?fieldManager=third&dryRun=All`;
  const third = { apiVersion: `${definition.group}/v1`, kind: "Widget", metadata: { name: objectName(0), namespace: "default" } };
  const answer = () => api.request("PATCH", path, third, "application/apply-patch+yaml").then(() => "applied", String);
  await expect.poll(answer, { timeout: 30_000 }).toMatch(/500 .*invalid group\/version/);
}

/** A definition whose objects still name v1beta1, which is gone. */
async function brokenApplies(): Promise<SampleDefinition> {
  const definition = await applied({ name: "v1" }, { name: "v1beta1" });
  expect(await rewrite(definition)).toMatchObject({ phase: "succeeded" });
  await prune(definition);
  await serve(definition, false);
  await remove(definition, { acceptManagedFields: true });
  await untilForgotten(definition);
  return definition;
}

describe("managedFields that name a removed version", () => {
  const reason = `Server-side apply fails for ${OBJECTS} objects: their managedFields name v1beta1, which is gone.`;

  // Without brokenApplies (crd-state.ts) the definition shows as current.
  test("block the definition once a count found them; after cleaning, apply works and it is current", async () => {
    const definition = await brokenApplies();
    expect((await detail(definition)).state).toBe("current");
    await count(definition);
    expect(await detail(definition)).toMatchObject({ state: "blocked", stateReason: reason, actions: { clean: { refusal: null } } });
    expect(nextStep(await detail(definition))).toMatchObject({ step: "clean", versions: ["v1beta1"] });
    const summary = async () => (await listSummaries(connection, soon())).items.find(({ name }) => name === definition.name);
    await expect.poll(summary).toMatchObject({ state: "blocked", stateReason: reason });

    expect(await clean(definition)).toBe(OBJECTS);
    await apply(definition, "v1", objectName(0), "owner", { size: 100, target: "x" });
    await expect.poll(async () => (await detail(definition)).state).toBe("current");
    await count(definition);
    expect((await detail(definition)).state).toBe("current");
  });

  test("are carried over by a rewrite that keeps ownership, as the command line suggests", async () => {
    const definition = await brokenApplies();
    await count(definition);
    expect((await detail(definition)).state).toBe("blocked");
    expect(await rewrite(definition, { keepOwnership: true, verify: "every-object" })).toMatchObject({
      ...{ phase: "succeeded", ownership: { kept: OBJECTS, lost: 0 } },
    });
    expect((await detail(definition)).state).toBe("current");
    await apply(definition, "v1", objectName(1), "owner", { size: 100, target: "x" });
  });
});

describe("a removal with a conversion webhook", () => {
  const v1 = { name: "v1", properties: { size: integer, note: string, target: { type: "object", properties: { host: string } } } };
  const v1beta1 = { name: "v1beta1", properties: { size: integer, note: string, target: string } };

  const converting = () =>
    conversionWebhook(({ spec: { target, ...spec } = {}, ...object }, apiVersion) => {
      const host = typeof target === "string" ? target : (target as { host?: string } | undefined)?.host;
      const converted = apiVersion.endsWith("/v1") ? { host } : host;
      return { ...object, apiVersion, spec: { ...spec, ...(host !== undefined && { target: converted }) } };
    });

  // With a refusal of every version in the spec (clean-refusal.ts) cleaning waits for the removal, and the removal for cleaning.
  test("never asks for what a later step refuses: entries are cleaned before the version goes, and apply works all along", async () => {
    const definition = await applied(v1, v1beta1, await converting());
    await expect(clean(definition)).rejects.toMatchObject({ nextStep: expect.stringContaining("First: Rewrite the objects, then prune") });
    expect(await rewrite(definition)).toMatchObject({ phase: "succeeded", ownership: { lost: 0 } });
    await expect(clean(definition)).rejects.toMatchObject({ nextStep: expect.stringContaining("First: Rewrite the objects, then prune") });
    await prune(definition);

    // Stopped too early: losses can't be seen any more. The way on is told, and works.
    await serve(definition, false);
    await expect(remove(definition)).rejects.toMatchObject({
      message: expect.stringContaining("such as default/widget-"),
      nextStep: expect.stringMatching(
        /^Serve v1beta1 until the entries are cleaned\. .* Then clean the entries of v1beta1, or accept this/,
      ),
    });
    await expect(clean(definition)).rejects.toMatchObject({ nextStep: expect.stringMatching(/^Serve v1beta1 until/) });
    await serve(definition, true);
    await expect.poll(() => api.list(`${definition.path("v1beta1")}?limit=1`).then(() => "served", String)).toBe("served");

    // The owner's entry names `target`, whose value is another one at v1. The way on is told, and works.
    expect(await cleaning(definition)).toMatchObject({
      ...{ cleaned: 0, rejected: OBJECTS },
      rejections: [{ reason: "OtherFields", message: expect.stringMatching(/such as spec\.target, .* Apply it at v1 as those managers/) }],
    });
    expect(await managersOf(definition, 0)).toEqual(["other v1beta1", "owner v1beta1"]);
    for (let index = 0; index < OBJECTS; index++) {
      await apply(definition, "v1", objectName(index), "owner", { size: index, target: { host: "x" } });
    }
    expect(await managersOf(definition, 0)).toEqual(["other v1beta1", "owner v1"]);
    expect(await clean(definition)).toBe(OBJECTS);
    expect(await managersOf(definition, 0)).toEqual(["other v1", "owner v1"]);
    await apply(definition, "v1", objectName(0), "owner", { size: 100, target: { host: "y" } });
    await serve(definition, false);
    await remove(definition);
    for (let index = 0; index < OBJECTS; index++) {
      await apply(definition, "v1", objectName(index), "owner", { size: 200, target: { host: "z" } });
      await expect(apply(definition, "v1", objectName(index), "third", { note: "mine" })).rejects.toThrow(/409 .*"other"/);
    }
    expect((await api.get(definition.path("v1", { name: objectName(3) }))).spec).toEqual({ size: 200, note: "n", target: { host: "z" } });
    await count(definition);
    expect((await detail(definition)).state).toBe("current");
  });

  // Without unlikeAtStorage (clean-object.ts) the entry is relabeled, and anyone's unforced apply takes the field.
  test("a field that the webhook renames stays its owner's: cleaning leaves the entry, and the API server keeps translating it", async () => {
    const conversion = await conversionWebhook(({ spec: { size, replicas } = {}, ...object }, apiVersion) => {
      const value = size ?? replicas;
      return { ...object, apiVersion, spec: apiVersion.endsWith("/v1") ? { replicas: value } : { size: value } };
    });
    const versions = (storage: string): SampleVersion[] => [
      { name: "v1", storage: storage === "v1", properties: { replicas: integer } },
      { name: "v1beta1", storage: storage === "v1beta1", properties: { size: integer } },
    ];
    const definition = await define(versions("v1beta1"), conversion);
    for (const index of [0, 1]) await apply(definition, "v1beta1", objectName(index), "owner", { size: index });
    await flip(definition, versions("v1"));
    expect(await rewrite(definition)).toMatchObject({ phase: "succeeded" });
    await prune(definition);
    expect(await cleaning(definition)).toMatchObject({
      ...{ cleaned: 0, rejected: 2 },
      rejections: [{ reason: "OtherFields", message: expect.stringContaining("such as spec.size") }],
    });
    expect(await managersOf(definition, 1)).toEqual(["owner v1beta1"]);
    await expect(apply(definition, "v1", objectName(1), "intruder", { replicas: 77 })).rejects.toThrow(/409 .*"owner"/);
  });

  // Why entries are cleaned before the removal.
  test("without cleaning, any write but an apply empties managedFields once the version is gone, or from Kubernetes 1.37 on leaves them broken", async () => {
    const definition = await applied(v1, v1beta1, await converting());
    await rewrite(definition);
    await prune(definition);
    await serve(definition, false);
    await remove(definition, { acceptManagedFields: true });
    await untilForgotten(definition);
    await api.mergePatch(definition.path("v1", { name: objectName(1) }), { spec: { size: 99 } });
    const isEmptied = emptiesManagedFields(cluster.kubernetes);
    expect(await managersOf(definition, 1)).toEqual(isEmptied ? [] : ["other v1beta1", "owner v1beta1"]);
    expect(await clean(definition)).toBe(isEmptied ? OBJECTS - 1 : OBJECTS);
    await apply(definition, "v1", objectName(0), "owner", { size: 100, target: { host: "y" } });
  });
});

// Without the refusal in refuseNamedInManagedFields (remove-version.ts), nobody is told, and apply fails once v1 is served again.
test("while no version is served, its removal needs a word, because nobody can look for such entries", async () => {
  const definition = await applied({ name: "v1" }, { name: "v1beta1" });
  expect(await rewrite(definition)).toMatchObject({ phase: "succeeded" });
  await prune(definition);
  await serve(definition, false);
  await definition.setVersions([
    { name: "v1", storage: true, served: false },
    { name: "v1beta1", served: false },
  ]);
  await expect(remove(definition)).rejects.toMatchObject({
    ...{ code: "precondition_failed", message: expect.stringContaining("No version is served."), details: { managedFields: [] } },
  });
  expect((await remove(definition, { acceptManagedFields: true })).versions).toMatchObject([{ name: "v1" }]);
});
