import { describe, expect, test } from "vitest";
import { sampleCrd, sampleProof, sampleRecord, sampleVersion } from "#lib/domain/testing/sample-crd.ts";
import type { CrdCondition } from "./crd.ts";
import { dropRefusal, leftoverVersions, storedVersionsProblem, unseenVersions, whyNothingServed } from "./stored-versions.ts";

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

describe("versions that nobody can see", () => {
  const versions = [
    sampleVersion("v1alpha1", { served: false }),
    sampleVersion("v1beta1", { served: false }),
    sampleVersion("v1beta2"),
    sampleVersion("v1", { storage: true }),
  ];
  const crd = sampleCrd({ versions, storedVersions: ["v1beta1", "v1beta2", "v1"] });
  const prunedOf = (pruned: string[]) =>
    sampleRecord({ prune: { versions: pruned, prunedAt: "2026-01-02T12:00:00Z", by: null, runId: null, reason: null } });

  test("are all that aren't served, listed as stored or not", () => {
    expect(unseenVersions(crd)).toEqual(["v1beta1", "v1alpha1"]);
    expect(unseenVersions({ ...crd, storedVersions: ["v1"] })).toEqual(["v1alpha1", "v1beta1"]);
    expect(unseenVersions({ ...crd, storedVersions: ["v0", "v1"] })).toEqual(["v0", "v1alpha1", "v1beta1"]);
    expect(unseenVersions(sampleCrd())).toEqual([]);
    expect(
      unseenVersions(sampleCrd({ versions: [sampleVersion("v1", { storage: true, served: false })], storedVersions: ["v1"] })),
    ).toEqual([]);
  });

  test("are none while a proof holds, and all again once it doesn't", () => {
    const proof = sampleProof(crd);
    expect(unseenVersions({ ...crd, record: sampleRecord({ proof }) })).toEqual([]);
    expect(unseenVersions({ ...crd, generation: crd.generation + 1, record: sampleRecord({ proof }) })).toEqual(["v1beta1", "v1alpha1"]);
  });

  // Since then, the version may have been the storage version again, and another engine may have pruned it.
  test("include what crdshift pruned once", () => {
    const pruned = { ...crd, storedVersions: ["v1"], record: prunedOf(["v1beta1"]) };
    expect(unseenVersions(pruned)).toEqual(["v1alpha1", "v1beta1"]);
    expect(unseenVersions({ ...pruned, storedVersions: ["v1beta1", "v1"] })).toEqual(["v1beta1", "v1alpha1"]);
  });
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
  expect(dropRefusal("v1beta1", 1)).toMatch(/^status\.storedVersions\[1\]: Invalid value: "v1beta1": /);
});

const condition = (type: string, status: CrdCondition["status"]): CrdCondition => ({ type, status, reason: "", message: "" });

test.each<[string, CrdCondition[], string | null]>([
  ["established", [condition("Established", "True"), condition("NamesAccepted", "True")], null],
  ["served under its earlier names", [condition("Established", "True"), condition("NamesAccepted", "False")], null],
  ["without its names", [condition("Established", "False"), condition("NamesAccepted", "False")], "names not accepted"],
  ["about to be served", [condition("Established", "False"), condition("NamesAccepted", "True")], "not established"],
  ["of which nothing is known yet", [], "not established"],
])("a definition that is %s", (_, conditions, because) => {
  expect(whyNothingServed({ conditions })).toBe(because);
});
