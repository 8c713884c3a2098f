import { expect, test } from "vitest";
import { sampleCrd, sampleVersion } from "#lib/domain/definition/sample-crd.ts";
import { conversionPairs } from "./conversion-pairs.ts";

const pairsOf = (crd: Parameters<typeof conversionPairs>[0]) => conversionPairs(crd).map(({ from, to }) => `${from} to ${to}`);

test("are those of stored versions to served ones, and of served ones to the storage version", () => {
  const versions = [sampleVersion("v1", { storage: true }), sampleVersion("v1beta1"), sampleVersion("v1alpha1", { served: false })];
  expect(pairsOf(sampleCrd({ versions, storedVersions: ["v1"] }))).toEqual(["v1 to v1beta1", "v1beta1 to v1"]);
  expect(pairsOf(sampleCrd({ versions, storedVersions: ["v1alpha1", "v1"] }))).toEqual([
    ...["v1 to v1beta1", "v1beta1 to v1"],
    ...["v1alpha1 to v1", "v1alpha1 to v1beta1"],
  ]);
});

test("there are none of one version, and a storage version that is not served is still stored to", () => {
  expect(pairsOf(sampleCrd({ versions: [sampleVersion("v1", { storage: true })], storedVersions: ["v1"] }))).toEqual([]);
  const versions = [sampleVersion("v1", { storage: true, served: false }), sampleVersion("v1beta1")];
  expect(pairsOf(sampleCrd({ versions, storedVersions: ["v1"] }))).toEqual(["v1 to v1beta1", "v1beta1 to v1"]);
});
