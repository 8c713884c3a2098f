import { expect, test } from "vitest";
import { matchesUpdates, type Rules } from "./admission.ts";

const crd = { group: "example.com", plural: "widgets", scope: "Namespaced", versions: [{ name: "v1" }, { name: "v1beta1" }] } as const;
const rule = {
  ...{ apiGroups: ["example.com"], apiVersions: ["v1"], operations: ["UPDATE"], resources: ["widgets"], scope: "*" },
  resourceNames: [] as string[],
};
type Change = Partial<typeof rule>;

const matchesAt = (version: string, change: Change, rules: Partial<Rules> = {}) =>
  matchesUpdates({ matchPolicy: "Equivalent", rules: [{ ...rule, ...change }], ...rules }, crd, version);

// Matcher in apiserver/pkg/admission/plugin/webhook/predicates/rules/rules.go: scope, operation, group, version, resource (splitResource).
test.each<[Change, boolean]>([
  [{}, true],
  [{ resources: ["*"] }, true],
  [{ resources: ["*/*"] }, true],
  [{ resources: ["widgets/*"] }, true],
  [{ resources: ["gadgets", "widgets"] }, true],
  [{ resources: ["widgets/status"] }, false],
  [{ resources: ["*/status"] }, false],
  [{ resources: ["*/scale"] }, false],
  [{ resources: ["gadgets/*"] }, false],
  [{ resources: [] }, false],
  [{ operations: ["*"] }, true],
  [{ operations: ["CREATE", "UPDATE"] }, true],
  [{ operations: ["CREATE", "DELETE", "CONNECT"] }, false],
  [{ apiGroups: ["*"] }, true],
  [{ apiGroups: ["", "other.example.com"] }, false],
  [{ apiVersions: ["*"] }, true],
  [{ scope: "Namespaced" }, true],
  [{ scope: "Cluster" }, false],
])("a rule with %j matches an update: %j", (change, expected) => expect(matchesAt("v1", change)).toBe(expected));

// EquivalentResourcesFor: staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/generic/webhook.go (ShouldCallHook).
test.each<[string, string[], boolean]>([
  ["Equivalent", ["v1beta1"], true],
  ["Exact", ["v1beta1"], false],
  ["Exact", ["v1"], true],
  // The field's default is Equivalent; another word could only widen it.
  ["", ["v1beta1"], true],
  ["Equivalent", ["v2"], false],
])("with matchPolicy %j, a rule for %j matches an update at v1: %j", (matchPolicy, apiVersions, expected) =>
  expect(matchesAt("v1", { apiVersions }, { matchPolicy })).toBe(expected),
);

// matchesResourceRules in apiserver/pkg/admission/plugin/policy/matching/matching.go: a name matches only that object.
test.each<[string, Change, Change | null, boolean]>([
  ["a rule that names an object", { resourceNames: ["one"] }, null, true],
  ["an exclusion of one object", {}, { resourceNames: ["one"] }, true],
  ["an exclusion of all objects", {}, {}, false],
  ["an exclusion of all objects, and everything below", {}, { resources: ["widgets/*"] }, false],
  ["an exclusion of the status", {}, { resources: ["widgets/status"] }, true],
  ["an exclusion of creations", {}, { operations: ["CREATE"] }, true],
  ["an exclusion in another scope", {}, { scope: "Cluster" }, true],
  ["an exclusion of another group", {}, { apiGroups: ["other.example.com"] }, true],
])("with %s it may be called: %j, %j, %j", (_, change, exclude, expected) =>
  expect(matchesAt("v1", change, exclude ? { excludeRules: [{ ...rule, ...exclude }] } : {})).toBe(expected),
);
