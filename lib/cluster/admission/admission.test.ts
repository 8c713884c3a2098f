import { expect, test } from "vitest";
import { LONGEST_TURN, whileWatched } from "#lib/process-wide/testing/longest-turn.ts";
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

const many = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

// With each version of the definition compared with each one of a rule, the first took 1.7 s, and with its versions listed for each
// webhook, the second took 2.8 s.
test.each([
  { webhooks: 1, apiVersions: 100_000 },
  { webhooks: 15_000, apiVersions: 1 },
])("webhooks hold nobody up, however many versions they and a definition have: %j", async (count) => {
  const hostile = { ...crd, versions: many("v", 8_000).map((name) => ({ name })) };
  const webhook = { matchPolicy: "Equivalent", rules: [{ ...rule, apiVersions: many("w", count.apiVersions) }] };
  const { longest, result } = await whileWatched(async () =>
    Array(count.webhooks)
      .fill(webhook)
      .filter((one) => matchesUpdates(one, hostile, "v1")),
  );
  expect(result).toEqual([]);
  expect(longest).toBeLessThan(LONGEST_TURN);
});
