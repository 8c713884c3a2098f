import { expect, test } from "vitest";
import { exactJson } from "#lib/domain/exact-json/exact-json.ts";
import { sampleCrd, sampleVersion } from "#lib/domain/testing/sample-crd.ts";
import { versionsToTry } from "./versions-to-try.ts";

const versions = [
  sampleVersion("v1alpha1"),
  sampleVersion("v1alpha2", { served: false }),
  sampleVersion("v1beta1"),
  sampleVersion("v1", { storage: true }),
];
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
