import { expect, test } from "vitest";
import { exactJson } from "#lib/domain/exact-json/exact-json.ts";
import { sampleCrd, sampleVersion } from "#lib/domain/testing/sample-crd.ts";
import { LONGEST_TURN, whileWatched } from "#lib/process-wide/testing/longest-turn.ts";
import { versionsToTry } from "./versions-to-try.ts";

const versions = [
  sampleVersion("v1alpha1"),
  sampleVersion("v1alpha2", { served: false }),
  sampleVersion("v1beta1"),
  sampleVersion("v1", { storage: true }),
];
const keeps = { "x-kubernetes-preserve-unknown-fields": true };
const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`k${index}`, {}]));
const crd = sampleCrd({ versions, storedVersions: ["v1beta1", "v1"] });
const schemas =
  (fields: Record<string, string>) =>
  (version: string): ReturnType<typeof exactJson> | undefined =>
    fields[version] === undefined ? undefined : exactJson({ type: "object", properties: { [fields[version]]: {} } });

test("every other served version is tried, listed as stored or not, stored ones first", () => {
  expect(versionsToTry(crd, schemas({ v1: "a", v1beta1: "b", v1alpha1: "c" }))).toEqual(["v1beta1", "v1alpha1"]);
});

test("without conversion, a version with the schema of another can show nothing more", () => {
  expect(versionsToTry(crd, schemas({ v1: "a", v1beta1: "b", v1alpha1: "b" }))).toEqual(["v1beta1"]);
  expect(versionsToTry(crd, schemas({ v1: "a", v1beta1: "a", v1alpha1: "b" }))).toEqual(["v1alpha1"]);
  expect(versionsToTry(crd, schemas({ v1: "a", v1beta1: "a", v1alpha1: "a" }))).toEqual([]);
});

test("an unknown schema equals no other", () => {
  expect(versionsToTry(crd, schemas({}))).toEqual(["v1beta1", "v1alpha1"]);
  expect(versionsToTry(crd, schemas({ v1: "a" }))).toEqual(["v1beta1", "v1alpha1"]);
});

test("with a webhook, all are tried whatever their schemas", () => {
  const converted = { ...crd, conversion: { strategy: "Webhook" as const, target: "hooks/convert" } };
  expect(versionsToTry(converted, schemas({ v1: "a", v1beta1: "a", v1alpha1: "a" }))).toEqual(["v1beta1", "v1alpha1"]);
});

test("a version whose schema the storage version's contains can show nothing more", () => {
  const of = (fields: string[]) => exactJson({ type: "object", properties: Object.fromEntries(fields.map((field) => [field, {}])) });
  const schemaOf = (version: string) => (version === "v1" ? of(["a", "b"]) : version === "v1beta1" ? of(["a"]) : of(["a", "c"]));
  expect(versionsToTry(crd, schemaOf)).toEqual(["v1alpha1"]);
});

// Each compared with each, thousands of versions or a default of half a megabyte took minutes. Without isSame's comparison of strings, and
// without countOf (contains-schema.ts), a long text and the fields of one version were gone through for each of the others: seconds.
test.each([
  ["thousands of schemas", 4_000, (index: number) => ({ [`only-${index}`]: {} })],
  ["200 with a large default in one", 200, (index: number) => ({ a: { default: index === 0 ? Array(250_000).fill(1) : {} } })],
  ["4,000 with a long default in one", 4_000, (index: number) => ({ a: { default: index === 0 ? "a".repeat(700_000) : "a" } })],
  [
    "4,000 that keep unknown fields, 50,000 known in one,",
    4_000,
    (index: number) => ({ a: { ...keeps, properties: index === 0 ? many : {} } }),
  ],
])("%s hold nobody up", async (_, count, propertiesOf) => {
  const all = Array.from({ length: count }, (_version, index) => sampleVersion(`v${index + 1}`, { storage: index === 0 }));
  const schemaOf = new Map(all.map(({ name }, index) => [name, exactJson({ type: "object", properties: propertiesOf(index) })]));
  const definition = sampleCrd({ versions: all, storedVersions: ["v1"] });
  const { longest } = await whileWatched(async () => versionsToTry(definition, (version) => schemaOf.get(version)));
  expect(longest).toBeLessThan(LONGEST_TURN);
});
