import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { readCrd, readExactCrd } from "#lib/cluster/definitions/crds.ts";
import { dryRunRewrite, readObject } from "#lib/cluster/objects/custom-objects.ts";
import { exactProperty, exactText } from "#lib/domain/exact-json/exact-json.ts";
import { unchangedByWrite } from "#lib/domain/losses/unchanged-by-write.ts";
import { versionSpec } from "#lib/domain/versions/version-spec.ts";
import { olderRelease } from "#lib/local-cluster/binaries/kubernetes-release.ts";
import { createDefinition, objectName } from "#lib/local-cluster/sample-definition.ts";
import { startRewrite } from "#lib/rewrite/commands/start-rewrite.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { removeNotesByPolicy } from "#lib/rewrite/testing/webhooks/notes-policy.ts";
import { findDryRun } from "./dry-runs.ts";

// The last release on which a write may empty managedFields.
const bench = await openTestBench(olderRelease);
const { api, apply, connection, define, endOf, flip, rewrite, storedAs } = bench;

/** A field's schema, and values that it takes. */
const scalar = fc.constantFrom(
  [{ type: "string" }, "text"],
  [{ type: "string", nullable: true }, null],
  [{ type: "string", nullable: true }, "set"],
  [{ type: "integer" }, 7],
  [{ type: "integer", default: 3 }, 4],
  [{ type: "number" }, 1.5],
  [{ type: "boolean" }, true],
  [{ "x-kubernetes-int-or-string": true }, "80%"],
  [{ "x-kubernetes-int-or-string": true }, 80],
) as fc.Arbitrary<readonly [object, unknown]>;
const item = { type: "object", properties: { name: { type: "string" }, port: { type: "integer" } }, required: ["name"] };
const listed = fc.constantFrom(
  [{ type: "array", items: { type: "string" } }, ["a", "a"]],
  [{ type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" }, ["a", "b"]],
  [{ type: "array", items: item }, [{ name: "a", port: 1 }]],
  [{ type: "array", items: { ...item, "x-kubernetes-map-type": "atomic" }, "x-kubernetes-list-type": "set" }, [{ name: "a", port: 1 }]],
  [
    { type: "object", additionalProperties: true },
    { k: { inner: 1 }, l: 2 },
  ],
  [
    { "x-kubernetes-preserve-unknown-fields": true, properties: { any: { type: "string" } } },
    { any: "a", other: ["a", "a"] },
  ],
  [{ type: "integer", "x-kubernetes-int-or-string": true }, "80%"],
  [
    { type: "array", items: item, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] },
    [{ name: "a", port: 1 }, { name: "b" }],
  ],
  [{ type: "object", additionalProperties: { type: "string" } }, { k: "v" }],
  [{ type: "object", additionalProperties: { type: "integer" }, "x-kubernetes-map-type": "atomic" }, { k: 1 }],
  [{ type: "object", "x-kubernetes-preserve-unknown-fields": true }, { any: { thing: [1, "x", { y: true }] } }],
  [{ "x-kubernetes-preserve-unknown-fields": true }, [1, { y: "z" }]],
  [
    { type: "object", properties: { name: { type: "string" }, port: { type: "integer" } } },
    { name: "a", port: 1 },
  ],
) as fc.Arbitrary<readonly [object, unknown]>;
const fieldName = fc.constantFrom("one", "two", "three", "four", "five");
const field = fc.oneof({ weight: 2, arbitrary: scalar }, listed);

const scenario = fc.record({
  fields: fc.dictionary(fieldName, field, { minKeys: 2, maxKeys: 4 }),
  /** Which fields the old version lacks, and which fields' schemas an upgrade changes, adds or removes. */
  lacking: fc.uniqueArray(fieldName, { maxLength: 1 }),
  changed: fc.dictionary(fieldName, fc.oneof(field, fc.constant(null)), { maxKeys: 1 }),
  /** Metadata that the API server accepts and can't compare. */
  metadata: fc.constantFrom({}, {}, { finalizers: ["e.io/a", "e.io/b"] }, { finalizers: ["e.io/a", "e.io/a"] }),
  writers: fc.array(
    fc.record({
      manager: fc.constantFrom("kubectl", "helm", "controller"),
      version: fc.constantFrom("v1", "v1beta1"),
      how: fc.constantFrom("apply", "patch", "apply"),
      fields: fc.uniqueArray(fieldName, { minLength: 1 }),
    }),
    { minLength: 1, maxLength: 4 },
  ),
});
type Scenario = typeof scenario extends fc.Arbitrary<infer Value> ? Value : never;

const schemasOf = (fields: Record<string, readonly [object, unknown] | null>) =>
  Object.fromEntries(Object.entries(fields).flatMap(([name, of]) => (of ? [[name, of[0]]] : [])));
const without = <Value>(fields: Record<string, Value>, names: readonly string[]) =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));

/** Stores an object as v1beta1 by its writers, then flips to v1; returns how often reading suffices, and whether a write left it alone. */
async function tried({ fields, lacking, changed, metadata, writers }: Scenario) {
  const definition = await createDefinition(api, [
    { name: "v1beta1", storage: true, properties: schemasOf(without(fields, lacking)) },
    { name: "v1", properties: schemasOf(fields) },
  ]);
  for (const [index, { manager, version, how, fields: names }] of writers.entries()) {
    const values = names.flatMap((name) =>
      fields[name] && !(version === "v1beta1" && lacking.includes(name)) ? [[name, fields[name][1]]] : [],
    );
    const spec = Object.fromEntries(values);
    const name = objectName(index % 2);
    const path = definition.path(version, { name });
    if (how === "apply") {
      const object = {
        apiVersion: `${definition.group}/${version}`,
        kind: "Widget",
        metadata: { ...metadata, name, namespace: "default" },
        spec,
      };
      await api.request("PATCH", `${path}?fieldManager=${manager}&force=true`, object, "application/apply-patch+yaml").catch(() => null);
    } else
      await api.request("PATCH", `${path}?fieldManager=${manager}`, { metadata, spec }, "application/merge-patch+json").catch(() => null);
  }
  const after = { ...fields, ...changed };
  await flip(definition, [
    { name: "v1", storage: true, properties: schemasOf(after) },
    { name: "v1beta1", properties: schemasOf(without(after, lacking)) },
  ]);
  const { crd } = await readCrd(connection, definition.name, soon());
  const { exact } = await readExactCrd(connection, definition.name, soon());
  const schemaOf = (version: string) => exactProperty(exactProperty(versionSpec(exact, version) ?? undefined, "schema"), "openAPIV3Schema");
  const suffices = unchangedByWrite(crd, { schemaOf, keepsUnlisted: false });
  const told = [];
  for (const name of [objectName(0), objectName(1)]) {
    const object = { namespace: "default", name };
    const read = (version: string) => readObject(connection, crd, version, object, { signal: soon() });
    const now = await read("v1").catch(() => null);
    if (now === null) continue;
    const differences = [];
    for (const version of ["v1", "v1beta1"]) {
      const [before, written] = [
        await read(version),
        await dryRunRewrite(connection, crd, version, object, { signal: soon() }).catch(String),
      ];
      // A refused write says nothing.
      if (typeof written === "string") continue;
      if (exactText(before) !== exactText(written)) differences.push({ version, before: exactText(before), written: exactText(written) });
    }
    told.push({ suffices: suffices?.(now) ?? false, differences });
  }
  await definition.remove();
  return told;
}

const string = { type: "string" };
const OBJECTS = 150;
/** Any object is read, or one of those that are tried all the same. */
const TRIED = 100;

describe("a rewrite that no dry run precedes", () => {
  const flipped = async () => {
    const definition = await define([{ name: "v1alpha1" }, { name: "v1beta1", storage: true, properties: { size: string } }]);
    await definition.createObjects("v1beta1", OBJECTS, () => ({ size: "large" }));
    return definition;
  };
  const versions = [
    { name: "v1", storage: true, properties: { size: string, colour: string } },
    { name: "v1beta1", properties: { size: string } },
  ];

  test("reads objects that no write can change, and tries a hundred all the same", async () => {
    const definition = await flipped();
    await flip(definition, versions);
    const run = await rewrite(definition);
    expect(run).toMatchObject({
      phase: "succeeded",
      counts: { rewritten: OBJECTS, rejected: 0 },
      sent: { dryRun: TRIED, rewrite: OBJECTS },
    });
    expect(await storedAs(definition)).toEqual({ v1: OBJECTS });
    expect(findDryRun(connection.audience, definition.name, run.dryRun ?? "").current).toMatchObject({
      ...{ phase: "succeeded", lossesKnown: true, losses: [] },
      dryRun: { total: OBJECTS, planned: OBJECTS, checked: OBJECTS, onlyRead: OBJECTS - TRIED, wouldPass: TRIED },
    });
  });

  test("reads them again once the definition has settled, and checks none of them right before it is written", async () => {
    const definition = await flipped();
    vi.stubEnv("CRDSHIFT_SETTLE_SECONDS", "4");
    onTestFinished(() => void vi.unstubAllEnvs());
    // Not flip, which waits until the API server stores by it.
    await definition.setVersions(versions);
    const { id } = await startRewrite(connection, definition.name, { settleSeconds: 4, signal: soon() });
    const run = await endOf(definition, id);
    expect(run).toMatchObject({ phase: "succeeded", counts: { rewritten: OBJECTS }, sent: { dryRun: 2 * TRIED, rewrite: OBJECTS } });
  });

  test("tries each object for which reading isn't enough, and is held back by what that would lose", async () => {
    const definition = await flipped();
    await apply(definition, "v1alpha1", "widget-last", "owner", { size: "small" });
    await flip(definition, versions);
    const run = await rewrite(definition);
    expect(run).toMatchObject({ phase: "unproven", heldBackBecause: expect.stringContaining("owner"), counts: { rewritten: 0 } });
    expect(await storedAs(definition)).toEqual({ v1beta1: OBJECTS + 1 });
  });

  test("tries all of them where something in admission may change them", async () => {
    const definition = await flipped();
    await flip(definition, versions);
    await removeNotesByPolicy(api, definition);
    const run = await rewrite(definition);
    expect(run.sent?.dryRun).toBeGreaterThanOrEqual(OBJECTS);
  });
});

describe("what reading tells", () => {
  test("no object of which reading tells enough is changed by a dry run, at any version", { timeout: 300_000 }, async () => {
    const counts = { sufficed: 0, unchanged: 0, changed: 0 };
    await fc.assert(
      fc.asyncProperty(scenario, async (of) => {
        for (const { suffices, differences } of await tried(of)) {
          if (suffices) counts.sufficed += 1;
          else if (differences.length === 0) counts.unchanged += 1;
          else counts.changed += 1;
          if (suffices) expect(differences).toEqual([]);
        }
      }),
      { numRuns: 20, endOnFailure: true },
    );
    expect(counts.sufficed).toBeGreaterThan(0);
  });
});
