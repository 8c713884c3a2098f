import { expect, test } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { countManagedFields } from "#lib/cluster/objects/count-managed-fields.ts";
import { readableRecord } from "#lib/domain/record/rewrite-record.ts";
import type { Delegation } from "#lib/domain/rewrite/run.ts";
import { sampleRecord, sampleRun } from "#lib/domain/testing/sample-crd.ts";
import { objectName, type SampleDefinition, type SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { removeVersion } from "#lib/rewrite/spec-change/remove-version.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";
import { writeRecord } from "#lib/rewrite/testing/record/write-record.ts";
import { denyUpdatesOfFrozen } from "#lib/rewrite/testing/webhooks/deny-updates.ts";

// Runs in the annotation are not signed, so whoever may patch a definition can make one up, or take one out.

const { api, connection, define, flip, apply, rewrite, storedAs } = await openTestBench();
const OBJECTS = 4;
const LATER = new Date(Date.now() + 60_000).toISOString();

const definitionPath = ({ name }: SampleDefinition) => `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;
const detail = (definition: SampleDefinition) => readDetail(connection, definition.name, soon());
const removal = (definition: SampleDefinition, version: string) =>
  removeVersion(connection, definition.name, version, { confirm: version, acceptManagedFields: true }, soon());
const knownRuns = (definition: SampleDefinition) =>
  readableRecord(fleetOf(connection).crd(definition.name) ?? { record: null })?.runs.map(({ id }) => id) ?? [];

const ranFor = (storedVersionsBefore: string[]): Delegation => ({
  ...{ migration: "m", phase: "failed", message: "", left: null, startedAt: null, endedAt: null, storedVersionsBefore, putBack: [] },
});

/** Objects whose managedFields name v1alpha1, which is gone; counted, so that the definition is blocked. */
async function brokenApplies(): Promise<SampleDefinition> {
  const definition = await define([{ name: "v1alpha1" }, { name: "v1", storage: true }]);
  for (let index = 0; index < OBJECTS; index++) await apply(definition, "v1alpha1", objectName(index), "owner", { frozen: index === 0 });
  await flip(definition, [{ name: "v1", storage: true }]);
  const { crd } = await readCrd(connection, definition.name, soon());
  for await (const _ of countManagedFields(connection, crd, soon()));
  await expect.poll(() => detail(definition)).toMatchObject({ state: "blocked", brokenApplies: { objects: OBJECTS } });
  return definition;
}

// With any recorded run in changedByProvenRun (broken-applies.ts) the count is forgotten, and the definition shows as current.
test.each(["kubectl", "crdshift"])("a run that is made up, written as %s, doesn't outdate a count of broken applies", async (manager) => {
  const definition = await brokenApplies();
  const succeeded = { crd: definition.name, phase: "succeeded", endedAt: LATER } as const;
  const kept = sampleRun({ ...succeeded, id: "made-up", ownership: { keep: true, kept: OBJECTS, lost: 0 } });
  const delegated = sampleRun({ ...succeeded, id: "delegated", delegation: ranFor(["v1"]) });
  await writeRecord(api, definition, sampleRecord({ runs: [kept, delegated] }), manager);
  await expect.poll(() => knownRuns(definition)).toEqual(["made-up", "delegated"]);
  expect(await detail(definition)).toMatchObject({ state: "blocked", brokenApplies: { objects: OBJECTS } });
  await expect(apply(definition, "v1", objectName(0), "owner", { size: 100 })).rejects.toThrow(/500 /);
});

// Without noteOwnRun (known-crds.ts) a count from before is told for ever, because this run ends without a proof that could vouch for it.
test("a rewrite of this process outdates it for the objects that it reached, whatever its record says", async () => {
  const definition = await brokenApplies();
  await denyUpdatesOfFrozen(api, definition);
  const run = await rewrite(definition, { keepOwnership: true, verify: "every-object", acceptUnseen: true });
  expect(run).toMatchObject({ phase: "unproven", ownership: { kept: OBJECTS - 1 } });
  await api.mergePatch(definitionPath(definition), { metadata: { annotations: { "crdshift.dev/rewrite": null } } });
  await expect.poll(() => knownRuns(definition)).toEqual([]);
  // The frozen one.
  expect(fleetOf(connection).crd(definition.name)?.managedFieldsCount?.versions).toEqual(new Map([["v1alpha1", 1]]));
  await expect(apply(definition, "v1", objectName(0), "owner", { size: 100 })).rejects.toThrow(/500 /);
  await apply(definition, "v1", objectName(1), "owner", { frozen: false, size: 100 });
});

const three = (storage: string): SampleVersion[] => [
  { name: "v1", storage: storage === "v1" },
  { name: "v1beta1", storage: storage === "v1beta1", served: storage === "v1beta1" },
  { name: "v1alpha1", served: false },
];

/** Objects are stored as v1beta1, which is not listed any more. This crdshift has just started, and saw nothing of that. */
async function shortened(conditions: object[], delegated: string[]): Promise<SampleDefinition> {
  const definition = await define(three("v1beta1"));
  await definition.createObjects("v1beta1", OBJECTS);
  await flip(definition, three("v1"));
  const run = sampleRun({ id: "delegated", crd: definition.name, phase: "failed", endedAt: LATER, delegation: ranFor(delegated) });
  await writeRecord(api, definition, sampleRecord({ runs: [run] }));
  const { status }: { status: { conditions?: object[] } } = await definition.read();
  const patch = { status: { storedVersions: ["v1"], conditions: [...(status.conditions ?? []), ...conditions] } };
  await api.mergePatch(`${definitionPath(definition)}/status`, patch);
  fleetOf(connection).stop();
  return definition;
}

// With what the run names in place of what the condition says (prunedUnproven in other-engines.ts) the removal makes all objects
// unreadable.
test("a delegated run that is made up doesn't narrow what a failed migration may have left behind", async () => {
  const failed = {
    ...{ type: "StorageMigrating", status: "False", reason: "MigrationFailed", message: "Migration m failed" },
    ...{ lastTransitionTime: new Date().toISOString(), observedGeneration: 2 },
  };
  const definition = await shortened([failed], ["v1alpha1"]);
  const { missingStoredVersions } = await detail(definition);
  expect(missingStoredVersions.toSorted()).toEqual(["v1alpha1", "v1beta1"]);
  await expect(removal(definition, "v1beta1")).rejects.toMatchObject({ code: "precondition_failed" });
  expect(await storedAs(definition)).toEqual({ v1beta1: OBJECTS });
});

// Without prunedUnderRun in unprovenShrink (unproven-shrink.ts) the state is "current", and the removal makes all objects unreadable.
test.each([
  ["taken out", "kubectl"],
  ["said to have succeeded", "crdshift"],
])("what a delegated run left behind stays known to this process when the run is %s", async (how, manager) => {
  const definition = await shortened([], ["v1beta1", "v1"]);
  const blocked = { state: "blocked", missingStoredVersions: ["v1beta1"] };
  expect(await detail(definition)).toMatchObject(blocked);
  const record = await readRecord(definition);
  const runs = how === "taken out" ? [] : record.runs.map((run) => ({ ...run, phase: "succeeded" as const }));
  await writeRecord(api, definition, { ...record, runs }, manager);
  const isSeen = async () =>
    (await detail(definition)).resourceVersion === (await readCrd(connection, definition.name, soon())).crd.resourceVersion;
  await expect.poll(isSeen).toBe(true);
  expect(await detail(definition)).toMatchObject(blocked);
  await expect(removal(definition, "v1beta1")).rejects.toMatchObject({ code: "precondition_failed" });
  expect(await storedAs(definition)).toEqual({ v1beta1: OBJECTS });
});
