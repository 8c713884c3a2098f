import { expect } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import type { Match } from "#lib/cluster/testing/fault-proxy.ts";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { cleanManagedFields } from "#lib/rewrite/managed-fields/clean-managed-fields.ts";
import { type FaultBench, faultTest } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";

const OBJECTS = 3;
/** Longer than a reading of the definition is good for, so that the next one is always overdue. */
const READING_MS = 1_300;
/** Longer than what is left of it when it arrives. */
const OBJECT_MS = 400;

const isReading: Match = ({ method, path, headers }) =>
  method === "GET" && path.includes("/customresourcedefinitions/") && headers.accept?.includes("PartialObjectMetadata") === true;

/** Objects that someone applies at v1beta1, and an API server whose answers take their time. */
async function slow({ define, flip, apply, proxy }: FaultBench): Promise<SampleDefinition> {
  const definition = await define([{ name: "v1" }, { name: "v1beta1", storage: true }]);
  for (let index = 0; index < OBJECTS; index += 1) await apply(definition, "v1beta1", objectName(index), "owner", { size: index });
  await flip(definition, [{ name: "v1", storage: true }, { name: "v1beta1" }]);
  proxy.inject(({ path }) => path.startsWith(`/apis/${definition.group}/`), { kind: "delay", ms: OBJECT_MS });
  proxy.inject(isReading, { kind: "delay", ms: READING_MS });
  return definition;
}

// Where an overdue reading ends what is under way (whenReleased of outage-gate.ts), each object begins anew for ever.
faultTest("a rewrite that checks each object before it writes ends, however slow the answers", async (bench) => {
  const definition = await slow(bench);
  const { id } = await bench.start(definition, { keepOwnership: true });
  expect(await bench.endOf(definition, id)).toMatchObject({ phase: "succeeded", ownership: { lost: 0 } });
  expect(await bench.storedAs(definition)).toEqual({ v1: OBJECTS });
});

// The same.
faultTest("cleaning ends, however slow the answers", async (bench) => {
  const definition = await slow(bench);
  const { crd } = await readCrd(bench.connection, definition.name, soon());
  const ends: unknown[] = [];
  for await (const { complete, cleaned } of cleanManagedFields(bench.connection, crd, { versions: ["v1beta1"] }, soon()))
    if (complete) ends.push(cleaned);
  expect(ends).toEqual([OBJECTS]);
});
