import { expect, test } from "vitest";
import type { CrdCondition } from "./crd.ts";
import { sampleCrd, sampleVersion } from "./sample-crd.ts";
import { dropRefusal, leftoverVersions, storedVersionsProblem, unservedBecause } from "./stored-versions.ts";

test.each([
  { storedVersions: ["v1"], expected: [] },
  { storedVersions: ["v1beta1", "v1"], expected: ["v1beta1"] },
  { storedVersions: ["v1", "v1beta1"], expected: ["v1beta1"] },
  { storedVersions: ["v1alpha1", "v1beta1", "v1"], expected: ["v1alpha1", "v1beta1"] },
  { storedVersions: ["v1beta1", "v1", "v1beta1"], expected: ["v1beta1"] },
  { storedVersions: [], expected: [] },
])("of $storedVersions with storage v1, $expected is left over", ({ storedVersions, expected }) => {
  expect(leftoverVersions(sampleCrd({ storedVersions }))).toEqual(expected);
});

test("without a storage version, every stored version is a leftover", () => {
  expect(leftoverVersions({ versions: [sampleVersion("v1")], storedVersions: ["v1"] })).toEqual(["v1"]);
});

test.each([
  { storedVersions: ["v1"], problem: null },
  { storedVersions: ["v1", "v1beta1"], problem: null },
  { storedVersions: [], problem: "status.storedVersions is empty" },
  { storedVersions: ["v9", "v1"], problem: "status.storedVersions lists v9, which is not in spec.versions" },
  { storedVersions: ["v1", "v1"], problem: "status.storedVersions lists v1 twice" },
  { storedVersions: ["v1beta1"], problem: "status.storedVersions is missing the storage version v1" },
])("the list $storedVersions, which the API server would take, has this problem: $problem", ({ storedVersions, problem }) => {
  expect(storedVersionsProblem(sampleCrd(), storedVersions)).toBe(problem);
});

test("the refusal to drop a version names its place in the list", () => {
  expect(dropRefusal(["v1alpha1", "v1beta1", "v1"], "v1beta1")).toMatch(/^status\.storedVersions\[1\]: Invalid value: "v1beta1": /);
});

const condition = (type: string, status: CrdCondition["status"]): CrdCondition => ({ type, status, reason: "", message: "" });

test.each<[string, CrdCondition[], string | null]>([
  ["established", [condition("Established", "True"), condition("NamesAccepted", "True")], null],
  ["served under its earlier names", [condition("Established", "True"), condition("NamesAccepted", "False")], null],
  ["without its names", [condition("Established", "False"), condition("NamesAccepted", "False")], "names not accepted"],
  ["about to be served", [condition("Established", "False"), condition("NamesAccepted", "True")], "not established"],
  ["of which nothing is known yet", [], "not established"],
])("a definition that is %s", (_, conditions, because) => {
  expect(unservedBecause({ conditions })).toBe(because);
});
