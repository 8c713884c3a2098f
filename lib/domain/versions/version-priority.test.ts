import { expect, test } from "vitest";
import { compareVersionPriority, versionPriorityOrder, versionPriorityReason } from "./version-priority.ts";

const order = (...names: string[]) => versionPriorityOrder(names.map((name) => ({ name }))).map(({ name }) => name);

test("orders the ten names of the Kubernetes docs as the docs do", () => {
  const docs = ["v10", "v2", "v1", "v11beta2", "v10beta3", "v3beta1", "v12alpha1", "v11alpha2", "foo1", "foo10"];
  expect(order(...docs.toReversed())).toEqual(docs);
});

test.each([
  { rule: "GA before beta before alpha, whatever the numbers", expected: ["v1", "v9beta9", "v99alpha9"] },
  { rule: "majors as numbers, not as text", expected: ["v10", "v9", "v2", "v1"] },
  { rule: "minors as numbers, not as text", expected: ["v1beta10", "v1beta9", "v1beta2"] },
  { rule: "a major before a minor", expected: ["v2alpha1", "v1alpha9"] },
  { rule: "names that don't parse last, in alphabetical order", expected: ["v1alpha1", "a", "foo1", "foo10", "foo2", "v", "v1beta", "x"] },
  { rule: "numbers beyond an int64 as names that don't parse", expected: ["v9223372036854775807", "v1", "v9223372036854775808"] },
  { rule: "a minor beyond an int64 as a name that doesn't parse", expected: ["v1alpha1", "v1beta9223372036854775808"] },
  { rule: "near misses as names that don't parse", expected: ["v0", "beta1", "v-1", "v1-beta1", "v1beta1x", "v1gamma1", "vv1"] },
])("puts $rule", ({ expected }) => {
  expect(order(...expected.toReversed())).toEqual(expected);
});

test("takes a leading zero as the number that it is: v01 and v1 keep the order of the spec", () => {
  expect(compareVersionPriority("v01", "v1")).toBe(0);
  expect(order("v01", "v2", "v1")).toEqual(["v2", "v01", "v1"]);
  expect(order("v1", "v2", "v01")).toEqual(["v2", "v1", "v01"]);
});

test("leaves the given list as it was", () => {
  const versions = [{ name: "v1" }, { name: "v2" }];
  versionPriorityOrder(versions);
  expect(versions.map(({ name }) => name)).toEqual(["v1", "v2"]);
});

test.each([
  ["v10", "GA, major 10"],
  ["v2beta3", "beta, major 2, beta 3"],
  ["v2alpha1", "alpha, major 2, alpha 1"],
  ["foo1", "not in the form v<number>[alpha|beta<number>]: sorts last, alphabetically"],
])("says why %s stands where it stands", (name, reason) => {
  expect(versionPriorityReason(name)).toBe(reason);
});
