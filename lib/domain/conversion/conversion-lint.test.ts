import { expect, test } from "vitest";
import { sampleCrd, sampleVersion } from "#lib/domain/testing/sample-crd.ts";
import { type ConversionWebhook, conversionPairs, type LintedConversion, lintConversion } from "./conversion-lint.ts";

const NOW = Date.parse("2026-06-01T00:00:00Z");
const ca = {
  certificates: [{ subject: "CN=ca", issuer: "CN=ca", notBefore: "2026-01-01T00:00:00.000Z", notAfter: "2030-01-01T00:00:00.000Z" }],
  problem: null,
};
const service = { kind: "service", namespace: "ops", name: "hook", path: "/convert", port: 443 } as const;
const healthy: ConversionWebhook = { target: service, conversionReviewVersions: ["v1"], ca };

const findings = (conversion: Partial<LintedConversion>) =>
  lintConversion({ webhook: null, versions: ["v1", "v1beta1"], differences: [], complete: true, ...conversion }, NOW);
const ofWebhook = (changes: Partial<ConversionWebhook>) => findings({ webhook: { ...healthy, ...changes } });

test("a healthy webhook, or None without lost fields, has no findings", () => {
  expect(ofWebhook({})).toEqual([]);
  expect(findings({})).toEqual([]);
});

test.each<[string, Partial<ConversionWebhook>, string, string]>([
  ["a service without a CA", { ca: null }, "fail", "none of which signs certificates for hook.ops.svc"],
  ["a URL without a CA", { ca: null, target: { kind: "url", url: "https://hooks.example.com/" } }, "info", "trusts only its system roots"],
  ["neither service nor URL", { target: { kind: "nowhere" } }, "fail", "neither a URL nor a service"],
  ["versions that no API server supports", { conversionReviewVersions: ["v2", "v3"] }, "fail", "(v2, v3), so every conversion fails"],
  ["no version", { conversionReviewVersions: [] }, "fail", "(none)"],
  ["only v1beta1", { conversionReviewVersions: ["v1beta1"] }, "warn", "lists only v1beta1"],
  ["an unsupported version beside a supported one", { conversionReviewVersions: ["v2", "v1"] }, "info", "No API server supports v2"],
])("finds %s", (_, changes, severity, message) => {
  expect(ofWebhook(changes)).toEqual([{ severity, message: expect.stringContaining(message), nextStep: expect.stringMatching(/\.$/) }]);
});

test("warns about a webhook on a single version", () => {
  expect(findings({ webhook: healthy, versions: ["v1"] })).toEqual([
    { severity: "warn", message: expect.stringContaining("v1 is the only version"), nextStep: expect.stringContaining("None") },
  ]);
});

test("says nothing about conversions that fail where none takes place", () => {
  const expired = { ...ca, certificates: ca.certificates.map((one) => ({ ...one, notAfter: "2026-02-01T00:00:00.000Z" })) };
  const webhook = { ...healthy, conversionReviewVersions: ["v2"], ca: expired };
  expect(findings({ webhook, versions: ["v1"] }).map(({ message }) => message)).toEqual([
    expect.stringContaining("nothing is ever converted"),
  ]);
});

test("names some of the fields that None drops, and none for a webhook", () => {
  const pair = { from: "v1beta1", to: "v1", fields: ["spec.a", "spec.b", "spec.c", "spec.d"], more: 2 };
  const differences = [pair, ...["a", "b", "c"].map((to) => ({ ...pair, to, fields: ["spec.x"], more: 0 }))];
  const [finding, ...others] = findings({ differences });
  expect(others).toEqual([]);
  expect(finding?.severity).toBe("warn");
  expect(finding?.message).toContain("v1beta1 to v1 drops spec.a, spec.b, spec.c and 3 more fields; v1beta1 to a drops spec.x");
  expect(finding?.message).toContain("; and 1 more version pair.");
  expect(findings({ differences, complete: false })[0]?.message).toContain("; and at least 1 more version pair.");
  expect(findings({ webhook: healthy, differences: [pair] })).toEqual([]);
});

test("lists the most severe finding first", () => {
  const severities = findings({
    webhook: { ...healthy, conversionReviewVersions: ["v2", "v1beta1"], ca: { certificates: [], problem: null } },
  }).map(({ severity }) => severity);
  expect(severities).toEqual(["fail", "warn", "info"]);
});

const pairsOf = (crd: Parameters<typeof conversionPairs>[0]) => conversionPairs(crd).pairs.map(({ from, to }) => `${from} to ${to}`);

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

// Without MOST_PAIRS (conversion-lint.ts) there are as many as the square of the versions.
test("the first 10,000 are listed, and all are counted", () => {
  const versions = Array.from({ length: 200 }, (_, index) => sampleVersion(`v${index + 1}`, { storage: index === 0, served: index < 150 }));
  const { pairs, count } = conversionPairs(sampleCrd({ versions, storedVersions: versions.map(({ name }) => name) }));
  expect([new Set(pairs.map(({ from, to }) => `${from} to ${to}`)).size, count]).toEqual([10_000, 150 * 149 + 50 * 150]);
});
