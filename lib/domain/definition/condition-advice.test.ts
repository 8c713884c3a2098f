import { describe, expect, test } from "vitest";
import { conditionAdvice } from "./condition-advice.ts";
import type { Crd, CrdCondition } from "./crd.ts";
import { provenCrd, sampleCrd } from "./sample-crd.ts";

const now = Date.parse("2026-01-02T12:00:10.000Z");
const condition = (type: string, status: CrdCondition["status"], reason = "", message = ""): CrdCondition => ({
  ...{ type, status, reason, message },
});
const adviceOn = (given: CrdCondition, crd: Crd = sampleCrd()) => {
  const conditions = [given, ...crd.conditions.filter(({ type }) => type !== given.type)];
  return conditionAdvice({ ...crd, conditions }, [], now)[0];
};
const proven = provenCrd({ storedVersions: ["v1"] });

test.each<[string, CrdCondition, Crd | undefined, string, RegExp, RegExp | null]>([
  ["served", condition("Established", "True"), undefined, "good", /are served/, null],
  [
    "served while it goes",
    condition("Established", "True"),
    sampleCrd({ deletionTimestamp: "2026-01-02T12:00:00Z" }),
    "good",
    /until the deletion is through/,
    null,
  ],
  ["names not accepted", condition("Established", "False", "NotAccepted"), undefined, "blocked", /not served/, /NamesAccepted/],
  ["about to be served", condition("Established", "False", "Installing"), undefined, "warn", /about to serve/, /Wait/],
  ["no CA bundle", condition("Established", "False", "InvalidCABundle"), undefined, "blocked", /CA bundle/, /caBundle/],
  ["undecided", condition("Established", "Unknown"), undefined, "unknown", /not decided/, /Wait/],
  ["all names", condition("NamesAccepted", "True"), undefined, "good", /example\.com has a name/, null],
  ["not structural", condition("NonStructuralSchema", "True", "Violations"), undefined, "warn", /does not publish/, /compare the objects/],
  ["no structure at all", condition("NonStructuralSchema", "Unknown", "StructuralError"), undefined, "warn", /schema/, /Mend/],
  [
    "not approved",
    condition("KubernetesAPIApprovalPolicyConformant", "False", "UnapprovedAnnotation"),
    sampleCrd({ group: "x.k8s.io" }),
    "warn",
    /group x\.k8s\.io belongs.*says that nobody there has approved it/,
    /a domain of your own/,
  ],
  [
    "no word of an approval",
    condition("KubernetesAPIApprovalPolicyConformant", "False", "MissingAnnotation"),
    undefined,
    "warn",
    /names no approval/,
    /URL of the approval/,
  ],
  [
    "approved",
    condition("KubernetesAPIApprovalPolicyConformant", "True", "ApprovedAnnotation"),
    undefined,
    "good",
    /names the approval/,
    null,
  ],
  ["an unknown condition", condition("Ready", "True"), undefined, "unknown", /does not know/, /message/],
])("explains %s", (_, given, crd, tone, meaning, nextStep) => {
  const advice = adviceOn(given, crd);
  expect(advice).toMatchObject({ type: given.type, tone, meaning: expect.stringMatching(meaning), collisions: [] });
  if (nextStep === null) expect(advice?.nextStep).toBeNull();
  else expect(advice?.nextStep).toMatch(nextStep);
});

describe("names that are not accepted", () => {
  const refused = condition("NamesAccepted", "False", "KindConflict", '"CronTab" is already in use');
  const nothing = { plural: "", singular: "", kind: "", listKind: "", shortNames: [] };
  const newcomer = sampleCrd({ name: "ct.example.com", conditions: [refused], acceptedNames: nothing });
  const holder = sampleCrd();

  test("are told with the definition that has them, and what that costs", () => {
    const [advice] = conditionAdvice({ ...newcomer, plural: "jobs" }, [holder], now);
    expect(advice).toMatchObject({ tone: "blocked", meaning: expect.stringContaining("not served") });
    expect(advice?.nextStep).toContain("Ask for other names");
    expect(advice?.collisions).toContainEqual({ role: "kind", name: "CronTab", heldBy: { crd: holder.name, role: "kind" } });
  });

  test("leave a definition served that was served before", () => {
    const served = { ...newcomer, conditions: [refused, condition("Established", "True")] };
    expect(conditionAdvice(served, [holder], now)[0]).toMatchObject({ tone: "warn", meaning: expect.stringContaining("stays served") });
  });

  test("can't be changed where the plural is among them", () => {
    expect(conditionAdvice({ ...newcomer, plural: "ct" }, [holder], now)[0]?.nextStep).toMatch(/^Create it anew with another plural/);
  });

  test("may be free by now", () => {
    const [advice] = conditionAdvice(newcomer, [], now);
    expect(advice?.collisions).toEqual([]);
    expect(advice?.nextStep).toContain("looks again");
  });
});

describe("a deletion", () => {
  const cleanup = "customresourcecleanup.apiextensions.k8s.io";
  const deleted = (...finalizers: string[]) => sampleCrd({ deletionTimestamp: "2026-01-02T11:00:00Z", finalizers });

  test("waits for the objects, and for others who hold the definition", () => {
    const waiting = condition("Terminating", "True", "InstanceDeletionInProgress");
    expect(adviceOn(waiting, deleted(cleanup))).toMatchObject({
      tone: "warn",
      nextStep: expect.stringContaining("a finalizer taken away by hand leaves it undone"),
    });
    const held = adviceOn(waiting, deleted(cleanup, "example.com/a"));
    expect(held?.meaning).toContain("held by example.com/a.");
    expect(held?.nextStep).toContain("whoever set example.com/a");
  });

  test.each([
    ["InstanceDeletionCheck", /^See to it/],
    ["InstanceDeletionFailed", /^Mend what the message names/],
  ])("is stuck with %s", (reason, nextStep) => {
    const advice = adviceOn(condition("Terminating", "True", reason), deleted(cleanup));
    expect(advice).toMatchObject({ tone: "blocked", nextStep: expect.stringMatching(nextStep) });
  });

  test("whose objects are gone waits for nobody but others", () => {
    const done = condition("Terminating", "False", "InstanceDeletionCompleted");
    expect(adviceOn(done, deleted())).toMatchObject({ tone: "good", nextStep: null });
    expect(adviceOn(done, deleted("example.com/a"))).toMatchObject({ tone: "warn", nextStep: expect.stringContaining("example.com/a") });
  });
});

describe("a storage migration", () => {
  const running = condition("StorageMigrating", "True", "MigrationRunning", "Migration crontabs is running");
  const failed = condition("StorageMigrating", "False", "MigrationFailed");
  const succeeded = { ...condition("StorageMigrating", "False", "MigrationSucceeded"), observedGeneration: 2 };

  test.each<[string, CrdCondition, Crd, string, RegExp]>([
    ["is at work", running, sampleCrd(), "warn", /StorageVersionMigration crontabs is at work/],
    ["was deleted while it ran", running, sampleCrd({ migrationsTold: true }), "blocked", /deleted while it ran.*tells nothing/],
    ["was deleted, and crdshift has proven since", running, { ...proven, migrationsTold: true }, "good", /has proven since/],
    ["failed", failed, sampleCrd({ storedVersions: ["v1"] }), "blocked", /did not succeed.*tells nothing/],
    ["failed, and crdshift has proven since", failed, proven, "good", /did not succeed.*has proven since/],
    ["succeeded", succeeded, sampleCrd(), "good", /its word, not a proof\.$/],
    ["succeeded on an earlier spec", succeeded, sampleCrd({ generation: 3 }), "unknown", /The spec has changed since/],
  ])("%s", (_, given, crd, tone, meaning) => {
    expect(adviceOn(given, crd)).toMatchObject({ tone, meaning: expect.stringMatching(meaning) });
  });
});
