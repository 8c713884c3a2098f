import { randomUUID } from "node:crypto";
import { describe, expect, onTestFinished } from "vitest";
import type { StartRewrite } from "#lib/contract/rewrite/run.ts";
import { objectName, type SampleDefinition, type SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { type FaultBench, faultTest, patchOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { denyUpdatesOfFrozen } from "#lib/rewrite/testing/webhooks/deny-updates.ts";

// Node's own, not yet in TypeScript's library: a number that JavaScript itself could not write.
const rawJson = (JSON as JSON & { rawJSON(text: string): object }).rawJSON;

// Not -0: the API server reads a stored -0 as 0.
const numbers = {
  beyondDouble: rawJson("9007199254740993"),
  int64: rawJson("9223372036854775807"),
  negative: rawJson("-9223372036854775808"),
  floats: [rawJson("1.0"), rawJson("1e3"), rawJson("1e21"), rawJson("0.1"), rawJson("5e-324"), rawJson("3.14159265358979")],
  beyondInt64: rawJson("18446744073709551617"),
};
const texts = {
  separators: "\u2028\u2029\u0085\u00a0",
  astral: "\u{1f980}\u{10ffff}",
  combining: "e\u0301 \u00e9 \u1112\u1161\u11ab",
  rightToLeft: "\u202e\u05d0\u0628\u200f\u2067x\u2069",
  html: "<a href='x'>&amp;</a>",
  control: "\u0000\u0001\b\t\n\f\r\u001f\u007f",
  replaced: "\ufffd\ufeff",
  quoted: '"\\/',
};
const nested = (depth: number): object => (depth === 0 ? { numbers, texts } : { inner: [nested(depth - 1)] });
const value = {
  ...{ numbers, texts, nothing: null, yes: true, empty: { list: [], map: {}, text: "", lists: [[], [[]], {}, null] } },
  ...{ "": "a key without a name", "key/with.dots\u2028 and \u{1f980}": 1, nested: nested(40) },
};
const megabyte = "ü\u2028\u{1f980}x".repeat(100_000);
const OBJECTS = ["everything", "a long text", "under deletion", "small"];

const versions = (storage: string, options: Partial<SampleVersion>): SampleVersion[] =>
  ["v1", "v1beta1"].map((name) => ({ name, storage: name === storage, keepsUnknown: true, ...options }));

describe("everything the schema keeps is byte for byte the same in etcd, except the version", () => {
  // With the object's own text in the patch in place of {} (custom-objects.ts: JSON.parse of what a GET answered) the numbers change.
  for (const [name, options, hasStatus] of [
    ["by the plain patch", {}, false],
    ["by the plain patch, with the subresource /status", {}, true],
    ["with every object verified", { verify: "every-object" }, true],
  ] satisfies [string, StartRewrite, boolean][]) {
    faultTest(name, async (bench) => {
      const definition = await full(bench, hasStatus);
      const before = await stored(bench, definition);
      expect(before.size).toBe(OBJECTS.length);
      await bench.flip(definition, versions("v1", { hasStatus }));
      const run = await bench.rewrite(definition, options);
      expect(run).toMatchObject({ phase: "succeeded", acceptedLosses: null, counts: { rewritten: OBJECTS.length, rejected: 0 } });
      expect(await bench.storedAs(definition)).toEqual({ v1: OBJECTS.length });
      expectSameBytes(await stored(bench, definition), before);
    });
  }

  // Without the retry through /status (rewrite-object.ts) the denied ones stay at v1beta1.
  faultTest("through /status, where a policy denies the main resource", async (bench) => {
    const definition = await full(bench, true, { frozen: true });
    const before = await stored(bench, definition);
    await bench.flip(definition, versions("v1", { hasStatus: true }));
    const policy = await denyUpdatesOfFrozen(bench.api, definition);
    const run = await bench.rewrite(definition, { throughStatus: true });
    expect(run).toMatchObject({ phase: "succeeded", throughStatus: { objects: OBJECTS.length } });
    expect(await bench.storedAs(definition)).toEqual({ v1: OBJECTS.length });
    expectSameBytes(await stored(bench, definition), before);
    await policy.lift();
  });

  // With the plain patch in place of rewriteKeepingOwnership (write-in-turn.ts) managedFields are emptied.
  faultTest("with ownership kept, but for the version that managedFields name", async (bench) => {
    const definition = await bench.define([...versions("v1beta1", {}), { name: "v1alpha1", keepsUnknown: true }]);
    await create(bench, definition, "v1alpha1", {});
    const before = await stored(bench, definition);
    await bench.flip(definition, versions("v1", {}));
    const run = await bench.rewrite(definition, { keepOwnership: true });
    expect(run).toMatchObject({ phase: "succeeded", ownership: { kept: OBJECTS.length, lost: 0 } });
    expect(await bench.storedAs(definition)).toEqual({ v1: OBJECTS.length });
    const after = await stored(bench, definition);
    const fixed = (text: string) => text.replaceAll(`"apiVersion":"${definition.group}/v1alpha1"`, `"apiVersion":"${definition.group}/v1"`);
    expectSameBytes(after, new Map([...before].map(([object, text]) => [object, fixed(text)])));
    expect(bench.proxy.seen.filter(patchOf(definition)).some(({ body }) => body.includes("managedFields"))).toBe(true);
  });
});

async function full(bench: FaultBench, hasStatus: boolean, more: object = {}): Promise<SampleDefinition> {
  const definition = await bench.define(versions("v1beta1", { hasStatus }));
  await create(bench, definition, "v1beta1", more);
  const status = { conditions: [], observed: numbers, texts, empty: {} };
  const paths = OBJECTS.map((_, index) => definition.path("v1beta1", { name: objectName(index) }));
  for (const path of paths) await bench.api.mergePatch(hasStatus ? `${path}/status` : path, { status });
  return definition;
}

async function create({ api }: FaultBench, definition: SampleDefinition, version: string, more: object): Promise<void> {
  const paths = OBJECTS.map((_, index) => definition.path(version, { name: objectName(index) }));
  for (const [index, kind] of OBJECTS.entries()) {
    await api.create(definition.path(version, { name: "" }), {
      ...{ apiVersion: `${definition.group}/${version}`, kind: "Widget", data: value, "unknown/field": texts },
      metadata: {
        name: objectName(index),
        labels: { "example.com/kind": "a.b_c-d" },
        annotations: { "example.com/text": Object.values(texts).join(" "), "example.com/empty": "" },
        finalizers: ["example.com/hold", "example.com/another"],
        ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: randomUUID(), controller: true }],
      },
      spec: { ...(kind === "a long text" ? { megabyte } : kind === "small" ? {} : { value }), ...more },
    });
  }
  onTestFinished(async () => {
    const served = definition.path("v1", { name: "" });
    for (const { metadata } of (await api.list(served)).items)
      await api.mergePatch(`${definition.path("v1", metadata)}`, { metadata: { finalizers: null } });
  });
  await api.delete(paths[OBJECTS.indexOf("under deletion")] ?? "");
}

/** The values of etcd by name, with the version that they are stored at left out. */
async function stored({ cluster }: FaultBench, definition: SampleDefinition): Promise<Map<string, string>> {
  const values = await definition.storedValues(cluster.etcd);
  const own = (apiVersion: string) => new RegExp(`^\\{"apiVersion":"${apiVersion}"`);
  return new Map([...values].map(([name, { text, apiVersion }]) => [name, text.replace(own(apiVersion), "{")]));
}

/** Shows only the first difference, because the values may have a megabyte. */
function expectSameBytes(after: Map<string, string>, before: Map<string, string>): void {
  expect([...after.keys()]).toEqual([...before.keys()]);
  for (const [name, old] of before) {
    const now = after.get(name) ?? "";
    let at = 0;
    while (at < old.length && old[at] === now[at]) at += 1;
    if (now !== old) expect(now.slice(Math.max(0, at - 100)).slice(0, 200), name).toBe(old.slice(Math.max(0, at - 100)).slice(0, 200));
  }
}
