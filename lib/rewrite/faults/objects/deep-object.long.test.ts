import { readFileSync } from "node:fs";
import https from "node:https";
import { text } from "node:stream/consumers";
import { expect } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { readCustomObject } from "#lib/cluster/objects/read-custom-object.ts";
import type { Cleaning } from "#lib/contract/objects/managed-fields.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { cleanManagedFields } from "#lib/rewrite/managed-fields/clean-managed-fields.ts";
import { faultTest } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { afterFlip, beforeFlip } from "#lib/rewrite/testing/bench/stale-definition.ts";
import type { TestBench } from "#lib/rewrite/testing/bench/test-bench.ts";

/** The API server takes up to 10,000. */
const LEVELS = 9_000;
const DEEP = "deep";
const OBJECTS = 30;

/** 30 objects at v1beta1, and one nested so deep that JavaScript can't walk it. */
async function withDeepObject(bench: TestBench): Promise<SampleDefinition> {
  const definition = await bench.define(beforeFlip);
  await definition.createObjects("v1beta1", OBJECTS);
  const nested = `${'{"a":'.repeat(LEVELS)}1${"}".repeat(LEVELS)}`;
  const object = `{"apiVersion":"${definition.group}/v1beta1","kind":"Widget","metadata":{"name":"${DEEP}"},"spec":${nested}}`;
  await post(bench, definition.path("v1beta1", { name: "" }), object);
  await bench.flip(definition, afterFlip);
  return definition;
}

// The tests' own client can't write such JSON.
async function post({ cluster }: TestBench, path: string, json: string) {
  const headers = { authorization: `Bearer ${cluster.token}`, "content-type": "application/json" };
  const sent = https.request(new URL(path, cluster.server), { method: "POST", ca: readFileSync(cluster.caFile), headers });
  const answered = new Promise<import("node:http").IncomingMessage>((resolve, reject) => sent.on("response", resolve).on("error", reject));
  sent.end(json);
  const response = await answered;
  expect([response.statusCode, response.statusCode === 201 ? "" : await text(response)]).toEqual([201, ""]);
  response.resume();
}

const named = [{ namespace: "default", name: DEEP }];
const tooDeep = expect.stringContaining("nested deeper than 1,000 levels");

// Without the bound in parseExactJson every dry run ends with "Maximum call stack size exceeded".
faultTest("an object nested 9,000 deep is named by the dry run, the others are tried, and a rewrite moves all of them", async (bench) => {
  const definition = await withDeepObject(bench);
  expect(await bench.dryRun(definition)).toMatchObject({
    ...{ phase: "succeeded", losses: [], lossesKnown: false, lossesUnknownBecause: expect.stringContaining(DEEP) },
    dryRun: { checked: OBJECTS + 1, wouldPass: OBJECTS, cannotDryRun: 1, cannot: [{ count: 1, message: tooDeep, examples: named }] },
  });
  const { crd } = await readCrd(bench.connection, definition.name, soon());
  const shown = await readCustomObject(bench.connection, crd, { namespace: "default", name: DEEP }, { version: "v1", signal: soon() });
  expect(shown).toMatchObject({ name: DEEP, text: null });
  await expect(bench.start(definition)).rejects.toMatchObject({ code: "precondition_failed", message: expect.stringContaining(DEEP) });
  const run = await bench.rewrite(definition, { acceptUnseen: true });
  expect(run).toMatchObject({ phase: "succeeded", counts: { rewritten: OBJECTS + 1, rejected: 0 } });
  expect(await bench.storedAs(definition)).toEqual({ v1: OBJECTS + 1 });
});

faultTest("an object nested 9,000 deep whose ownership is to be kept is rejected by name, and the others are rewritten", async (bench) => {
  const definition = await withDeepObject(bench);
  const run = await bench.rewrite(definition, { acceptUnseen: true, keepOwnership: true });
  expect(run).toMatchObject({
    ...{ phase: "unproven", counts: { rewritten: OBJECTS, rejected: 1 } },
    rejections: [{ reason: "NestedTooDeep", message: tooDeep, count: 1, examples: named }],
  });
  expect(await bench.storedAs(definition)).toEqual({ v1: OBJECTS, v1beta1: 1 });
});

faultTest("cleaning leaves an object nested 9,000 deep as it is, and cleans the others", async (bench) => {
  const definition = await withDeepObject(bench);
  const { crd } = await readCrd(bench.connection, definition.name, soon());
  let cleaning: Cleaning | null = null;
  for await (const now of cleanManagedFields(bench.connection, crd, { versions: ["v1beta1"] }, soon())) cleaning = now;
  expect(cleaning).toMatchObject({
    ...{ complete: true, cleaned: OBJECTS, rejected: 1 },
    rejections: [{ reason: "NestedTooDeep", message: tooDeep, count: 1, examples: named }],
  });
  expect(await bench.storedAs(definition)).toEqual({ v1: OBJECTS, v1beta1: 1 });
});
