import { setTimeout as wait } from "node:timers/promises";
import { beforeEach, expect } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import type { Match } from "#lib/cluster/testing/fault-proxy.ts";
import { emptiesManagedFields } from "#lib/local-cluster/binaries/kubernetes-release.ts";
import { objectName, type SampleDefinition, type SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { workerCluster } from "#lib/local-cluster/testing/worker-cluster.ts";
import { cleanManagedFields } from "#lib/rewrite/managed-fields/clean-managed-fields.ts";
import { type FaultBench, faultTest, patchOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";

// Where v1beta1's schema lacks a field that v1's write adds.
beforeEach(({ skip }) =>
  skip(emptiesManagedFields(workerCluster().kubernetes), "This release empties managedFields, so nothing is left to clean."),
);

const OBJECTS = 40;
/** Far longer than a cleaning takes to notice: a test without the fix fails instead of hanging. */
const NOTICED_MS = 20_000;

const size = { type: "integer" };
/** Only v1 has `note`: storing an object at v1beta1 loses it. */
const versions = (storage: string): SampleVersion[] => [
  { name: "v1", storage: storage === "v1", properties: { size, note: { type: "string" } } },
  { name: "v1beta1", storage: storage === "v1beta1", properties: { size } },
];

const watches: Match = ({ path }) => path.startsWith("/apis/apiextensions.k8s.io/") && path.includes("watch=1");

/** Proven objects with notes, whose managedFields name v1beta1. */
async function proven({ api, define, flip, rewrite }: FaultBench): Promise<SampleDefinition> {
  const definition = await define(versions("v1beta1"));
  await definition.createObjects("v1beta1", OBJECTS, (index) => ({ size: index }));
  await flip(definition, versions("v1"));
  expect(await rewrite(definition)).toMatchObject({ phase: "succeeded" });
  for (let index = 0; index < OBJECTS; index += 1)
    await api.mergePatch(definition.path("v1", { name: objectName(index) }), { spec: { note: "precious" } });
  return definition;
}

const notes = async ({ cluster }: FaultBench, definition: SampleDefinition) =>
  [...(await definition.storedValues(cluster.etcd)).values()].filter(({ specText }) => specText.includes("precious")).length;

const stopped = {
  code: "precondition_failed",
  message: expect.stringContaining("The definition changed meanwhile"),
  nextStep: expect.stringContaining("Clean again"),
};

for (const { watching, how } of [
  { watching: true, how: "that the watch tells of" },
  { watching: false, how: "that no watch tells of" },
]) {
  // Without stopWhenDefinitionChanges and whileConfirmed (clean-objects.ts) every object is stored at v1beta1, without its note.
  faultTest(`a flip of the storage version ${how} stops cleaning before any object loses a field`, async (bench) => {
    const { connection, flip, proxy, storedAs } = bench;
    if (!watching) proxy.inject(watches, { kind: "hang" });
    const definition = await proven(bench);
    const { crd } = await readCrd(connection, definition.name, soon());
    const held = proxy.hold(patchOf(definition), "before", Number.POSITIVE_INFINITY);
    const clean = async () => {
      for await (const { complete, cleaned } of cleanManagedFields(connection, crd, { versions: ["v1beta1"] }, soon()))
        if (complete) return { cleaned };
    };
    const ended = clean().catch((error: unknown) => error);
    await held.reached;
    await flip(definition, versions("v1beta1"));
    await Promise.race([ended, wait(NOTICED_MS)]);
    held.release();
    expect(await ended).toMatchObject(stopped);
    expect(await notes(bench, definition)).toBe(OBJECTS);
    expect(await storedAs(definition)).toEqual({ v1: OBJECTS });
  });
}

// Without the gate's hold until the first answer (confirm-definition.ts) objects are written by what the definition was.
faultTest("cleaning writes nothing by a definition that is out of date", async (bench) => {
  const { connection, flip, proxy, storedAs } = bench;
  proxy.inject(watches, { kind: "hang" });
  const definition = await proven(bench);
  const { crd } = await readCrd(connection, definition.name, soon());
  await flip(definition, versions("v1beta1"));
  const clean = async () => {
    for await (const _ of cleanManagedFields(connection, crd, { versions: ["v1beta1"] }, soon()));
  };
  await expect(clean()).rejects.toMatchObject(stopped);
  expect(await notes(bench, definition)).toBe(OBJECTS);
  expect(await storedAs(definition)).toEqual({ v1: OBJECTS });
});
