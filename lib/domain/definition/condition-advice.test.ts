import { describe, expect, test } from "vitest";
import { provenCrd, sampleCrd } from "#lib/domain/testing/sample-crd.ts";
import { conditionAdvice } from "./condition-advice.ts";
import type { Crd, CrdCondition } from "./crd.ts";

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
    /until the deletion completes/,
    null,
  ],
  ["names not accepted", condition("Established", "False", "NotAccepted"), undefined, "blocked", /not served/, /NamesAccepted/],
  ["about to be served", condition("Established", "False", "Installing"), undefined, "warn", /about to serve/, /Wait/],
  ["no CA bundle", condition("Established", "False", "InvalidCABundle"), undefined, "blocked", /CA bundle/, /caBundle/],
  ["undecided", condition("Established", "Unknown"), undefined, "unknown", /not decided/, /Wait/],
  ["all names", condition("NamesAccepted", "True"), undefined, "good", /in example\.com uses its names/, null],
  ["not structural", condition("NonStructuralSchema", "True", "Violations"), undefined, "warn", /does not publish/, /^Compare the objects/],
  [
    "no structure at all",
    condition("NonStructuralSchema", "Unknown", "StructuralError"),
    undefined,
    "warn",
    /schema/,
    /fix what the message names/,
  ],
  [
    "not approved",
    condition("KubernetesAPIApprovalPolicyConformant", "False", "UnapprovedAnnotation"),
    sampleCrd({ group: "x.k8s.io" }),
    "warn",
    /group x\.k8s\.io belongs.*marks it as unapproved/,
    /under your own domain/,
  ],
  [
    "no word of an approval",
    condition("KubernetesAPIApprovalPolicyConformant", "False", "MissingAnnotation"),
    undefined,
    "warn",
    /names no approval/,
    /approval's URL/,
  ],
  [
    "approved",
    condition("KubernetesAPIApprovalPolicyConformant", "True", "ApprovedAnnotation"),
    undefined,
    "good",
    /names the approval/,
    null,
  ],
  ["an unknown condition", condition("Ready", "True"), undefined, "unknown", /doesn't know/, /message/],
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

  test("come with their holder and the consequence", () => {
    const [advice] = conditionAdvice({ ...newcomer, plural: "jobs" }, [holder], now);
    expect(advice).toMatchObject({ tone: "blocked", meaning: expect.stringContaining("not served") });
    expect(advice?.nextStep).toContain("Choose other names");
    expect(advice?.collisions).toContainEqual({ role: "kind", name: "CronTab", heldBy: { crd: holder.name, role: "kind" } });
  });

  test("keep a definition served that was served before", () => {
    const served = { ...newcomer, conditions: [refused, condition("Established", "True")] };
    expect(conditionAdvice(served, [holder], now)[0]).toMatchObject({ tone: "warn", meaning: expect.stringContaining("stays served") });
  });

  test("require recreation when the plural is taken", () => {
    expect(conditionAdvice({ ...newcomer, plural: "ct" }, [holder], now)[0]?.nextStep).toMatch(/^Recreate it with another plural/);
  });

  test("may be free again", () => {
    const [advice] = conditionAdvice(newcomer, [], now);
    expect(advice?.collisions).toEqual([]);
    expect(advice?.nextStep).toContain("checks again");
  });
});

describe("a deletion", () => {
  const cleanup = "customresourcecleanup.apiextensions.k8s.io";
  const deleted = (...finalizers: string[]) => sampleCrd({ deletionTimestamp: "2026-01-02T11:00:00Z", finalizers });

  test("waits for the objects and for other finalizers", () => {
    const waiting = condition("Terminating", "True", "InstanceDeletionInProgress");
    expect(adviceOn(waiting, deleted(cleanup))).toMatchObject({
      tone: "warn",
      nextStep: expect.stringContaining("removing a finalizer by hand leaves it undone"),
    });
    const held = adviceOn(waiting, deleted(cleanup, "example.com/a"));
    expect(held?.meaning).toContain("held by example.com/a.");
    expect(held?.nextStep).toContain("controllers behind example.com/a");
  });

  test.each([
    ["InstanceDeletionCheck", /^Make sure/],
    ["InstanceDeletionFailed", /^Fix what the message names/],
  ])("is stuck with %s", (reason, nextStep) => {
    const advice = adviceOn(condition("Terminating", "True", reason), deleted(cleanup));
    expect(advice).toMatchObject({ tone: "blocked", nextStep: expect.stringMatching(nextStep) });
  });

  test("with its objects gone waits only for other finalizers", () => {
    const done = condition("Terminating", "False", "InstanceDeletionCompleted");
    expect(adviceOn(done, deleted())).toMatchObject({ tone: "good", nextStep: null });
    expect(adviceOn(done, deleted("example.com/a"))).toMatchObject({ tone: "warn", nextStep: expect.stringContaining("example.com/a") });
  });
});

// Whoever may patch the status can repeat conditions. With as many as fit, their words took 88 MB and two seconds.
describe("thousands of conditions", () => {
  const refused = condition("NamesAccepted", "False", "MultipleNamesConflict");
  const nothing = { plural: "", singular: "", kind: "", listKind: "", shortNames: [] };
  const shortNames = Array.from({ length: 200 }, (_, index) => `short-name-${index}`);
  const names = { singular: "", listKind: "", shortNames, categories: [] };
  const finalizers = Array.from({ length: 1_000 }, (_, index) => `example.com/finalizer-${index}`);
  const terminating = condition("Terminating", "True", "InstanceDeletionInProgress");
  const crd = sampleCrd({
    name: "ct.example.com",
    conditions: [terminating, ...Array(2_000).fill(refused), ...Array(2_000).fill(terminating)],
    acceptedNames: nothing,
    names,
    finalizers,
  });
  const advice = conditionAdvice(crd, [sampleCrd({ names })], now);

  test("are explained up to the twentieth, in their order", () => {
    expect(advice.map(({ type }) => type)).toEqual(["Terminating", ...Array(19).fill("NamesAccepted")]);
  });

  test("have the names that are taken once", () => {
    expect(advice.map(({ collisions }) => collisions.length)).toEqual([0, 100, ...Array(18).fill(0)]);
  });

  test("name few of the finalizers", () => {
    const all = conditionAdvice({ ...crd, conditions: Array(4_000).fill(terminating) }, [], now);
    expect(all[0]?.meaning).toContain("held by example.com/finalizer-0, example.com/finalizer-1, ");
    expect(all[0]?.meaning).toContain("example.com/finalizer-4 and 995 more.");
    expect(all[0]?.nextStep).toContain("example.com/finalizer-4 and 995 more are running");
    expect(JSON.stringify(all).length).toBeLessThan(20_000);
  });
});

describe("a storage migration", () => {
  const running = condition("StorageMigrating", "True", "MigrationRunning", "Migration crontabs is running");
  const failed = condition("StorageMigrating", "False", "MigrationFailed");
  const success = (message: string) => ({
    ...condition("StorageMigrating", "False", "MigrationSucceeded", message),
    observedGeneration: 2,
  });
  const succeeded = success("The migration has succeeded and the stored versions have been updated");
  const outdated = success("The migration has succeeded but the stored versions have not been updated due to a generation mismatch");

  test.each<[string, CrdCondition, Crd, string, RegExp]>([
    ["is running", running, sampleCrd(), "warn", /StorageVersionMigration crontabs is running/],
    ["was deleted while it ran", running, sampleCrd({ migrationsListed: true }), "blocked", /deleted while running.*says nothing/],
    ["was deleted, and crdshift has since proven the objects", running, { ...proven, migrationsListed: true }, "good", /has since proven/],
    ["failed", failed, sampleCrd({ storedVersions: ["v1"] }), "blocked", /didn't succeed.*says nothing/],
    ["failed, and crdshift has since proven the objects", failed, proven, "good", /didn't succeed.*has since proven/],
    ["succeeded", succeeded, sampleCrd(), "good", /That is not a proof\.$/],
    ["succeeded while the spec changed", outdated, sampleCrd(), "unknown", /The spec changed while it ran/],
    ["succeeded on an earlier spec", succeeded, sampleCrd({ generation: 3 }), "unknown", /The spec has changed since/],
  ])("%s", (_, given, crd, tone, meaning) => {
    expect(adviceOn(given, crd)).toMatchObject({ tone, meaning: expect.stringMatching(meaning) });
  });
});
