import { describe, expect, test } from "vitest";
import { sampleCrd, sampleRecord, sampleRun, sampleVersion } from "#lib/domain/testing/sample-crd.ts";
import { type changedVersions, removeVersionSteps, specDifferences, versionChangeSteps } from "./version-change.ts";
import { versionChangeEffects, versionChangeKind, versionChangeSentence } from "./version-change-effects.ts";
import { putBackVersionRefusal, removeVersionRefusal, versionChangeRefusal } from "./version-change-refusal.ts";

const now = Date.parse("2026-01-02T12:00:10.000Z");
const v1 = sampleVersion("v1", { storage: true });
const v1beta1 = sampleVersion("v1beta1", { deprecated: true, customWarning: "move on" });
const crd = sampleCrd({ versions: [v1, v1beta1], storedVersions: ["v1beta1", "v1"] });
const clear = sampleCrd({ versions: [v1, { ...v1beta1, served: false }], storedVersions: ["v1"] });

describe("the patch", () => {
  test("changes the flag and nothing else, at a place that is tested", () => {
    expect(versionChangeSteps(crd, "v1beta1", { served: false })).toEqual([
      { op: "test", path: "/spec/versions/1/name", value: "v1beta1" },
      { op: "replace", path: "/spec/versions/1/served", value: false },
    ]);
  });

  test("moves the storage flag, from one version to the other in one patch", () => {
    expect(versionChangeSteps(crd, "v1beta1", { storage: true })).toEqual([
      { op: "test", path: "/spec/versions/0/name", value: "v1" },
      { op: "replace", path: "/spec/versions/0/storage", value: false },
      { op: "test", path: "/spec/versions/1/name", value: "v1beta1" },
      { op: "replace", path: "/spec/versions/1/storage", value: true },
    ]);
  });

  test("takes the custom text away with the flag, which the API server would refuse otherwise", () => {
    expect(versionChangeSteps(crd, "v1beta1", { deprecated: false }).slice(1)).toEqual([
      { op: "remove", path: "/spec/versions/1/deprecated" },
      { op: "remove", path: "/spec/versions/1/deprecationWarning" },
    ]);
  });

  test("is empty where nothing changes, or nothing is there", () => {
    expect(versionChangeSteps(crd, "v1", { served: true, deprecationWarning: null })).toEqual([]);
    expect(versionChangeSteps(crd, "v2", { served: true })).toEqual([]);
    expect(removeVersionSteps(crd, "v2")).toEqual([]);
  });
});

describe("what a change causes", () => {
  const causes = (...[name, change]: [string, Parameters<typeof changedVersions>[2]]) => versionChangeEffects(crd, name, change).join("\n");

  test("is told for each flag", () => {
    const converted = { ...crd, conversion: { strategy: "Webhook", target: "x" } as const };
    expect(versionChangeEffects(converted, "v1beta1", { storage: true }).join("\n")).not.toContain("missing from the schema");
    expect(causes("v1beta1", { served: false })).toMatch(/return 404.*you can't see what a rewrite would drop.*Every watch/s);
    expect(causes("v1beta1", { storage: true })).toMatch(
      /stored as v1beta1 from their next write.*stays listed until it is pruned.*missing from the schema of v1beta1/s,
    );
    expect(causes("v1beta1", { deprecationWarning: null })).toContain("use example.com/v1 ");
    expect(causes("v1beta1", { deprecated: false })).toContain("no longer get a warning");
    expect(causes("v1", { served: false })).toContain("Discovery prefers v1beta1 instead of v1");
  });
});

test("a new storage version joins status.storedVersions only if it is not listed yet", () => {
  const effects = (storedVersions: string[]) => versionChangeEffects({ ...crd, storedVersions }, "v1beta1", { storage: true });
  expect(effects(["v1"])).toContain("v1beta1 is added to status.storedVersions; v1 stays listed until it is pruned.");
  expect(effects(["v1beta1", "v1"])).toContain("status.storedVersions already lists v1beta1; v1 stays listed until it is pruned.");
});

describe("a change is refused", () => {
  test.each([
    ["that would leave the storage version unserved", "v1", { served: false }, "no object can be rewritten"],
    ["that makes an unserved version the storage version", "v1beta1", { served: false, storage: true }, "would be the storage version"],
    ["of a version that is not there", "v2", { served: false }, "not in spec.versions"],
    ["that changes nothing", "v1", { served: true }, "already has these settings"],
  ] as const)("%s", (_, name, change, words) => {
    expect(versionChangeRefusal(crd, name, change, now)?.message).toContain(words);
  });

  test("of a storage version that is not served, until it is served", () => {
    const unserved = { ...crd, versions: [v1, { ...v1beta1, served: false }] };
    expect(versionChangeRefusal(unserved, "v1beta1", { storage: true }, now)?.nextStep).toBe("Serve v1beta1 first.");
    expect(versionChangeRefusal(unserved, "v1beta1", { storage: true, served: true }, now)).toBeNull();
  });

  test("during a run, during deletion, and while storedVersions lists a version that the spec lacks", () => {
    const busy = { ...crd, record: sampleRecord({ runs: [sampleRun({ phase: "rewriting" })] }) };
    expect(versionChangeRefusal(busy, "v1beta1", { served: false }, now)?.message).toContain("A rewrite is in progress");
    expect(versionChangeRefusal({ ...crd, deletionTimestamp: "2026-01-01T00:00:00Z" }, "v1beta1", { served: false }, now)).not.toBeNull();
    expect(versionChangeRefusal({ ...crd, storedVersions: ["v0"] }, "v1beta1", { served: false }, now)?.nextStep).toContain("Put v0 back");
  });
});

describe("a version can be removed", () => {
  test("once it is neither stored, nor served, nor listed", () => {
    expect(removeVersionRefusal(clear, "v1beta1", now)).toBeNull();
    expect(removeVersionRefusal(clear, "v1", now)?.message).toBe("v1 is the storage version.");
    expect(removeVersionRefusal({ ...clear, versions: [v1, v1beta1] }, "v1beta1", now)?.message).toContain("still served");
    expect(removeVersionRefusal({ ...clear, storedVersions: ["v1beta1", "v1"] }, "v1beta1", now)?.nextStep).toContain("prune v1beta1");
    expect(removeVersionRefusal({ ...clear, shrankWithoutProof: ["v1beta1"] }, "v1beta1", now)?.nextStep).toContain(
      "Repair storedVersions",
    );
  });

  test("not while the cluster's own engine may have left objects in it, also if another version is known to be missing", () => {
    const failed = { type: "StorageMigrating", status: "False", reason: "MigrationFailed", message: "", observedGeneration: 2 } as const;
    const left = { ...clear, conditions: [...clear.conditions, failed], shrankWithoutProof: ["v1alpha1"] };
    expect(removeVersionRefusal(left, "v1beta1", now)?.message).toContain("would make them unreadable");
  });

  test.each([
    [[], "status.storedVersions is empty"],
    [["v1", "v1"], "status.storedVersions lists v1 twice"],
    [["v1alpha1"], "status.storedVersions is missing the storage version v1"],
  ])("not while storedVersions can't be trusted: %j", (storedVersions, problem) => {
    const versions = [...clear.versions, sampleVersion("v1alpha1")];
    expect(removeVersionRefusal({ ...clear, versions, storedVersions }, "v1beta1", now)).toEqual({
      message: `${problem}, so it can't be trusted: objects may be stored as v1beta1. Removing v1beta1 would make them unreadable.`,
      nextStep: expect.stringContaining("by hand"),
    });
  });

  test("and put back only while it is missing", () => {
    expect(putBackVersionRefusal(clear, "v1alpha1", now)).toBeNull();
    expect(putBackVersionRefusal(clear, "v1", now)?.message).toBe("v1 is already in spec.versions.");
  });

  test("but not put back while the record can't be read, unless the API server refuses every other change", () => {
    const unreadable = { ...clear, record: "unreadable" as const };
    expect(putBackVersionRefusal(unreadable, "v1alpha1", now)?.message).toContain("can't read the annotation");
    expect(putBackVersionRefusal({ ...unreadable, storedVersions: ["v1alpha1", "v1"] }, "v1alpha1", now)).toBeNull();
  });
});

test("describes what changed between two readings", () => {
  const after = { ...crd, versions: [{ ...v1, served: false }, sampleVersion("v2")], storedVersions: ["v1"] };
  expect(specDifferences(crd, after)).toEqual([
    "v1 is no longer served",
    "v2 was added",
    "v1beta1 was removed from spec.versions",
    "status.storedVersions is [v1]",
  ]);
  expect(specDifferences(crd, { ...crd, uid: "another" })).toEqual(["the definition was deleted and created again"]);
});

// Without the generation, whoever's change meets one of a schema reads that none of the versions changed.
test("says that a spec has changed in what isn't compared, such as a schema", () => {
  expect(specDifferences(crd, { ...crd, generation: crd.generation + 1 })).toEqual([
    "its spec changed otherwise, such as a schema or the webhook's settings",
  ]);
  expect(specDifferences(crd, { ...crd, resourceVersion: "9" })).toEqual([]);
});

test("describes a change for the record", () => {
  expect(versionChangeSentence(crd, "v1beta1", { served: false, deprecated: false })).toBe(
    "v1beta1 is no longer served, and is no longer deprecated, and has the default warning.",
  );
  expect(versionChangeSentence(crd, "v1beta1", { storage: true })).toBe("v1beta1 is the storage version instead of v1.");
});

test("the record tells a version no longer served, or deprecated, from other changes", () => {
  expect(versionChangeKind(crd, "v1beta1", { served: false, deprecated: false })).toBe("unserved");
  expect(versionChangeKind(crd, "v1", { deprecated: true })).toBe("deprecated");
  expect(versionChangeKind(crd, "v1", { deprecated: true, served: false })).toBe("unserved");
  expect(versionChangeKind(crd, "v1beta1", { deprecated: true, deprecationWarning: null })).toBe("changed");
  expect(versionChangeKind(crd, "v1beta1", { storage: true })).toBe("changed");
});
