import { describe, expect, test } from "vitest";
import { sampleCrd, sampleVersion } from "#lib/domain/testing/sample-crd.ts";
import { deprecationWarning, hasCondition, preferredVersion, readingVersion, storageVersion } from "./crd.ts";

describe("preferred, storage and reading version", () => {
  const crd = (...versions: [name: string, changes?: object][]) =>
    sampleCrd({ versions: versions.map(([name, changes]) => sampleVersion(name, changes)) });

  test.each([
    { rule: "the preferred one is the first served in priority order, not in the spec's", of: crd(["v1beta1"], ["v1"]), preferred: "v1" },
    { rule: "an unserved one is never preferred", of: crd(["v2", { served: false }], ["v1"]), preferred: "v1" },
    { rule: "a deprecated one may well be preferred", of: crd(["v2", { deprecated: true }], ["v1"]), preferred: "v2" },
    { rule: "the storage version has no part in it", of: crd(["v2"], ["v1", { storage: true }]), preferred: "v2" },
    { rule: "none is preferred when none is served", of: crd(["v1", { served: false }]), preferred: undefined },
  ])("$rule", ({ of, preferred }) => {
    expect(preferredVersion(of)?.name).toBe(preferred);
  });

  test("the storage version is the one that says so, or none", () => {
    expect(storageVersion(crd(["v2"], ["v1", { storage: true }]))?.name).toBe("v1");
    expect(storageVersion(crd(["v2"]))).toBeNull();
  });

  test.each([
    { rule: "at the storage version, which needs no conversion", of: crd(["v2"], ["v1", { storage: true }]), reading: "v1" },
    { rule: "at the preferred one when storage is not served", of: crd(["v2"], ["v1", { storage: true, served: false }]), reading: "v2" },
    { rule: "not at all when none is served", of: crd(["v1", { storage: true, served: false }]), reading: undefined },
  ])("objects are read $rule", ({ of, reading }) => {
    expect(readingVersion(of)?.name).toBe(reading);
  });
});

test("a condition holds only when its status is True", () => {
  const condition = (status: "True" | "False" | "Unknown") =>
    sampleCrd({ conditions: [{ type: "Established", status, reason: "", message: "" }] });
  expect(hasCondition(condition("True"), "Established")).toBe(true);
  expect(hasCondition(condition("False"), "Established")).toBe(false);
  expect(hasCondition(condition("Unknown"), "Established")).toBe(false);
  expect(hasCondition(condition("True"), "NamesAccepted")).toBe(false);
});

// Whoever may patch the status can list a type twice. Where any of them counts, a rewrite begins that the API server doesn't serve.
test("of conditions of one type, the first counts, as for the API server", () => {
  const conditions = (["False", "True"] as const).map((status) => ({ type: "Established", status, reason: "", message: "" }));
  expect(hasCondition({ conditions }, "Established")).toBe(false);
  expect(hasCondition({ conditions: conditions.toReversed() }, "Established")).toBe(true);
});

describe("the warning that clients of a version get", () => {
  const old = sampleVersion("v1beta1", { deprecated: true });
  const warning = (...others: ReturnType<typeof sampleVersion>[]) => deprecationWarning(sampleCrd({ versions: [old, ...others] }), old);

  test.each([
    { when: "it is not deprecated", text: () => deprecationWarning(sampleCrd(), sampleVersion("v1beta1")), expected: null },
    {
      when: "it is not deprecated, custom text or not",
      text: () => deprecationWarning(sampleCrd(), sampleVersion("v1beta1", { customWarning: "go away" })),
      expected: null,
    },
    {
      when: "a custom text is given",
      text: () => deprecationWarning(sampleCrd(), { ...old, customWarning: "use v1, see https://example.com" }),
      expected: "use v1, see https://example.com",
    },
    { when: "it is the only version", text: () => warning(), expected: "example.com/v1beta1 CronTab is deprecated" },
    {
      when: "a served one of higher priority exists",
      text: () => warning(sampleVersion("v1")),
      expected: "example.com/v1beta1 CronTab is deprecated; use example.com/v1 CronTab",
    },
    {
      when: "several exist: the first in priority order",
      text: () => warning(sampleVersion("v1"), sampleVersion("v2"), sampleVersion("v1beta2")),
      expected: "example.com/v1beta1 CronTab is deprecated; use example.com/v2 CronTab",
    },
    {
      when: "only older ones exist: they are no replacement",
      text: () => warning(sampleVersion("v1alpha1"), sampleVersion("foo")),
      expected: "example.com/v1beta1 CronTab is deprecated",
    },
    {
      when: "the newer ones are deprecated or not served",
      text: () => warning(sampleVersion("v2", { deprecated: true }), sampleVersion("v1", { served: false })),
      expected: "example.com/v1beta1 CronTab is deprecated",
    },
  ])("when $when", ({ text, expected }) => {
    expect(text()).toBe(expected);
  });
});
