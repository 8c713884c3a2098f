import { describe, expect, test } from "vitest";
import { missingStoredVersions } from "#lib/domain/definition/contradiction.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { crdState } from "#lib/domain/definition/crd-state.ts";
import { unprovenShrink } from "#lib/domain/definition/unproven-shrink.ts";
import { sampleCrd, sampleProof, sampleRecord, sampleRun, sampleVersion } from "#lib/domain/testing/sample-crd.ts";
import { type Migration, migrationName, migrationProgress, newestMigrations } from "./migration.ts";
import { conditionAtWork, failedUnproven, migrationAtWork, prunedUnproven } from "./other-engines.ts";
import { pruneRefusal, relistRefusal, rewriteRefusal } from "./refusals.ts";
import { type Delegation, type Run, TAKE_OVER_AFTER_MS } from "./run.ts";

const now = Date.parse("2026-01-02T12:00:10.000Z");
const migration = (changes: Partial<Migration> = {}): Migration => ({
  engine: "in-tree",
  name: "crontabs",
  uid: "u1",
  resource: "crontabs.example.com",
  phase: "running",
  message: "",
  createdAt: "2026-01-02T11:00:00Z",
  since: "2026-01-02T11:00:01Z",
  runId: null,
  ...changes,
});
const condition = (type: string, status = "True") => ({
  type,
  status,
  message: `${type} it is`,
  lastTransitionTime: "2026-01-02T11:00:00Z",
});
const migrating = (status: "True" | "False", reason: string, changes: { message?: string; observedGeneration?: number } = {}) => ({
  conditions: [
    ...sampleCrd().conditions,
    { type: "StorageMigrating", status, reason, message: "Migration crontabs is running", observedGeneration: 2, ...changes },
  ],
});
/** As kube-controller-manager writes it; without an update, the spec changed while it ran. */
const succeeded = ({ isUpdated } = { isUpdated: true }) => {
  const message = isUpdated
    ? "The migration has succeeded and the stored versions have been updated"
    : "The migration has succeeded but the stored versions have not been updated due to a generation mismatch";
  return migrating("False", "MigrationSucceeded", { message });
};
const failed = { ...migrating("False", "MigrationFailed"), storedVersions: ["v1"] };

describe("where a StorageVersionMigration stands", () => {
  test.each([
    ["no controller has picked it up", [], "pending"],
    ["it runs", [condition("Running")], "running"],
    ["it failed, and storedVersions is about to be shortened", [condition("Failed"), condition("Running")], "running"],
    ["it failed and has ended", [condition("Failed"), condition("Running", "False")], "failed"],
    ["it succeeded and has ended", [condition("Running", "False"), condition("Succeeded")], "succeeded"],
    ["OpenShift's, which removes Running", [condition("Succeeded")], "succeeded"],
  ] as const)("%s", (_, conditions, phase) => {
    expect(migrationProgress([...conditions]).phase).toBe(phase);
  });

  test("the words are those of the failure, also while it is still ending", () => {
    expect(migrationProgress([condition("Running"), condition("Failed")]).message).toBe("Failed it is");
  });
});

describe("which other engine is running", () => {
  const young = migration({ phase: "pending", createdAt: "2026-01-02T12:00:00Z" });
  const own = migration({ name: migrationName("run-1", 2), runId: "run-1" });

  test.each([
    ["one that runs", [migration()], "crontabs"],
    ["one that may be picked up any moment", [young], "crontabs"],
    ["not one that waits for a controller that isn't there", [migration({ phase: "pending" })], undefined],
    ["not one that has ended", [migration({ phase: "failed" })], undefined],
    ["a run's own, for others", [own], own.name],
  ])("%s", (_, migrations, name) => {
    expect(migrationAtWork({ migrations }, now)?.name).toBe(name);
  });

  test("a run's own is no stranger to it, by the list or by the condition", () => {
    const crd = sampleCrd({ migrations: [own], ...migrating("True", "MigrationRunning", { message: `Migration ${own.name} is running` }) });
    expect(migrationAtWork(crd, now, "run-1")).toBeNull();
    expect(conditionAtWork(crd, "run-1")).toBeNull();
    expect(conditionAtWork(crd)).toBe(own.name);
    expect(rewriteRefusal(crd, now, "run-1")).toBeNull();
    expect(rewriteRefusal(crd, now)?.message).toContain(own.name);
  });

  test.each([rewriteRefusal, pruneRefusal])("nothing is begun beside it: %o", (refusal) => {
    const proven = { ...sampleCrd(), record: sampleRecord({ proof: sampleProof(sampleCrd()) }) };
    expect(refusal({ ...proven, migrations: [migration({ engine: "openshift" })] }, now)?.message).toBe(
      "OpenShift's StorageVersionMigration crontabs is running.",
    );
  });

  test("the definition says so, and that a list shortened at its beginning proves nothing", () => {
    const crd = sampleCrd({ ...migrating("True", "MigrationRunning"), storedVersions: ["v1"] });
    expect(crdState(crd, { total: 10, conversionFailure: null }, now)).toEqual({
      state: "rewriting",
      reason:
        "The cluster's own StorageVersionMigration crontabs is running. status.storedVersions already lists only v1, which proves nothing yet.",
    });
  });
});

describe("a pending migration that an earlier rewrite left behind", () => {
  const waiting = migration({ name: migrationName("run-1", 2), runId: "run-1", phase: "pending", since: null });
  const leftBy = (runs: Run[]) => sampleCrd({ migrations: [waiting], record: sampleRecord({ runs }) });
  const interrupted = leftBy([sampleRun({ engine: "in-tree", renewedAt: "2026-01-02T11:00:00Z" })]);
  const command = `kubectl delete storageversionmigrations.storagemigration.k8s.io ${waiting.name}`;

  // Without leftMigrationRefusal (refusals.ts) the new rewrite is proven and pruned, and a controller that is turned on later writes all
  // objects unchecked.
  test("keeps a new rewrite from taking the place of its run, which can be resumed or cancelled", () => {
    expect(rewriteRefusal(interrupted, now)).toMatchObject({
      message: expect.stringContaining(`${waiting.name} is still pending`),
      nextStep: `Resume or cancel that rewrite, or delete the migration: ${command}`,
      run: { id: "run-1" },
    });
    expect(rewriteRefusal(interrupted, now, "run-1")).toBeNull();
  });

  // By its record alone: it may be older than what the run has created.
  test("keeps a new rewrite from doing so, too, where migrations can't be listed, unless its run had not settled", () => {
    const delegation: Delegation = {
      ...{ migration: waiting.name, phase: null, message: "", left: null, startedAt: null, endedAt: null },
      ...{ storedVersionsBefore: ["v1beta1", "v1"], putBack: [] },
    };
    const run = sampleRun({ engine: "in-tree", renewedAt: "2026-01-02T11:00:00Z", settledAt: "2026-01-02T10:59:00Z", delegation });
    const unlisted = (changes: Partial<Run>) =>
      rewriteRefusal(sampleCrd({ migrationsListed: false, record: sampleRecord({ runs: [{ ...run, ...changes }] }) }), now);
    expect(unlisted({})).toMatchObject({ message: expect.stringContaining("may still be pending"), run: { id: "run-1" } });
    expect(unlisted({ settledAt: null })).toBeNull();
    expect(unlisted({ delegation: { ...delegation, phase: "succeeded" } })).toBeNull();
    expect(unlisted({ phase: "cancelled", endedAt: "2026-01-02T11:00:00Z" })).toBeNull();
  });

  test.each([
    ["has ended", [sampleRun({ phase: "cancelled" })]],
    ["was replaced", [sampleRun({ id: "run-2", phase: "succeeded" }), sampleRun({ phase: "interrupted" })]],
  ])("can only be deleted once its run %s", (_, runs) => {
    expect(rewriteRefusal(leftBy(runs), now)).toMatchObject({ nextStep: `Delete it: ${command}` });
    expect(rewriteRefusal(leftBy(runs), now)).not.toHaveProperty("run");
  });

  test("is no obstacle if its run isn't this definition's", () => {
    const strangers = [
      { ...waiting, name: "crontabs", runId: null },
      { ...waiting, name: migrationName("run-9", 2), runId: "run-9" },
    ];
    expect(rewriteRefusal({ ...interrupted, migrations: strangers }, now)).toBeNull();
  });
});

test("of many migrations those that are not over are shown, and then the newest", () => {
  const all = ["succeeded", "failed", "running", "succeeded", "pending"] as const;
  const migrations = all.map((phase, index) => migration({ phase, name: `m${index}` }));
  const names = (most: number) => newestMigrations(migrations, most).items.map(({ name }) => name);
  expect(names(5)).toEqual(["m0", "m1", "m2", "m3", "m4"]);
  expect(names(3)).toEqual(["m0", "m2", "m4"]);
  expect(names(2)).toEqual(["m2", "m4"]);
  expect(newestMigrations(migrations, 1)).toMatchObject({ items: [{ name: "m2" }], more: 4 });
});

describe("after a failed migration", () => {
  const stateOf = (crd: ReturnType<typeof sampleCrd>) => crdState(crd, { total: 10, conversionFailure: null }, now).state;

  test("a shortened list blocks, and all that may be missing can be put back", () => {
    const crd = sampleCrd(failed);
    expect(stateOf(crd)).toBe("blocked");
    expect(prunedUnproven(crd, now)).toEqual(["v1beta1"]);
    expect(missingStoredVersions(crd, now)).toEqual(["v1beta1"]);
    expect(relistRefusal(crd, missingStoredVersions(crd, now), now)).toBeNull();
  });

  test("a list that names leftovers is trusted: they only need a rewrite", () => {
    const crd = sampleCrd({ ...failed, storedVersions: ["v1beta1", "v1"] });
    expect(stateOf(crd)).toBe("needs-rewrite");
    expect(missingStoredVersions(crd, now)).toEqual([]);
  });

  test("a proof settles it, also once a later change of the spec has voided the proof", () => {
    const proven = { ...sampleCrd(failed), record: sampleRecord({ proof: sampleProof(sampleCrd()) }) };
    expect(failedUnproven(proven)).toBe(false);
    expect(failedUnproven({ ...proven, generation: 3 })).toBe(false);
    expect(failedUnproven({ ...proven, generation: 3, ...migrating("False", "MigrationFailed", { observedGeneration: 3 }) })).toBe(true);
  });

  // With any proof (failedUnproven) whoever may patch the definition settles it.
  test("a proof that anyone may have written doesn't settle it", () => {
    const proven = { ...sampleCrd(failed), record: sampleRecord({ proof: sampleProof(sampleCrd()) }) };
    expect(failedUnproven({ ...proven, claims: { proof: true, settlePoint: false, dryRun: false } })).toBe(true);
  });

  test("an interrupted run that delegated blocks nothing by itself", () => {
    const run = sampleRun({ phase: "interrupted", engine: "in-tree" });
    expect(stateOf(sampleCrd({ record: sampleRecord({ runs: [run] }) }))).toBe("needs-rewrite");
  });
});

describe("a condition whose migration is not there any more", () => {
  const left = { ...migrating("True", "MigrationRunning"), migrationsListed: true };

  test("is not believed once all migrations could be listed", () => {
    expect(conditionAtWork(sampleCrd(left))).toBeNull();
    expect(conditionAtWork(sampleCrd({ ...left, migrationsListed: false }))).toBe("crontabs");
    expect(conditionAtWork(sampleCrd({ ...left, migrations: [migration()] }))).toBe("crontabs");
    expect(rewriteRefusal(sampleCrd(left), now)).toBeNull();
  });

  test("with a shortened list: blocked, to be put back", () => {
    const crd = sampleCrd({ ...left, storedVersions: ["v1"] });
    expect(crdState(crd, { total: 10, conversionFailure: null }, now).state).toBe("blocked");
    expect(relistRefusal(crd, missingStoredVersions(crd, now), now)).toBeNull();
  });
});

describe("a delegated run that ended", () => {
  const delegation = {
    ...{ migration: migrationName("run-1", 2), phase: "succeeded" as const, message: "", left: null },
    ...{ startedAt: null, endedAt: null, storedVersionsBefore: ["v1beta1", "v1"], putBack: [] },
  };
  const ended = (phase: Run["phase"], changes: Partial<Crd> = {}) =>
    sampleCrd({
      ...succeeded(),
      storedVersions: ["v1"],
      record: sampleRecord({ runs: [sampleRun({ phase, engine: "in-tree", delegation })] }),
      ...changes,
    });

  test("blocked by objects that it named: what the engine took out is missing, whatever that says", () => {
    expect(prunedUnproven(ended("unproven"), now)).toEqual(["v1beta1"]);
    expect(crdState(ended("unproven"), { total: 10, conversionFailure: null }, now).state).toBe("blocked");
    expect(missingStoredVersions(ended("unproven", { storedVersions: ["v1beta1", "v1"] }), now)).toEqual([]);
  });

  test("cancelled: missing, unless the engine says that it succeeded afterwards", () => {
    expect(prunedUnproven(ended("cancelled"), now)).toEqual([]);
    expect(prunedUnproven(ended("cancelled", succeeded({ isUpdated: false })), now)).toEqual(["v1beta1"]);
    expect(prunedUnproven(ended("cancelled", migrating("True", "MigrationRunning")), now)).toEqual(["v1beta1"]);
  });

  // With what a run names in place of the rest (prunedUnproven) whoever may write the annotation hides a version.
  test("doesn't narrow what a failed migration may have removed, and what it named outlasts its record", () => {
    const versions = ["v1", "v1beta1", "v1alpha1"].map((name) => sampleVersion(name, { storage: name === "v1" }));
    const named = { ...delegation, storedVersionsBefore: ["v1alpha1"] };
    const narrowing = ended("failed", {
      ...failed,
      versions,
      record: sampleRecord({ runs: [sampleRun({ phase: "failed", delegation: named })] }),
    });
    expect(prunedUnproven(narrowing, now)).toEqual(["v1alpha1", "v1beta1"]);
    expect(prunedUnproven(sampleCrd({ storedVersions: ["v1"], rememberedShrink: ["v1beta1"] }), now)).toEqual(["v1beta1"]);
  });

  test("with a proof: nothing is missing, also once a later change of the spec has voided the proof", () => {
    const changed = ended("succeeded", { generation: 3 });
    expect(prunedUnproven(changed, now)).toEqual([]);
    expect(crdState(changed, { total: 10, conversionFailure: null }, now).state).toBe("current");
  });

  // Without the time (latestRun in prunedUnderRun) it counts as at work for ever, and the definition as current.
  test("its holder was killed: missing once it has been silent for long enough, also where no condition tells of the engine", () => {
    const silent = ended("rewriting", { conditions: sampleCrd().conditions });
    const later = now + TAKE_OVER_AFTER_MS;
    expect(prunedUnproven(silent, now)).toEqual([]);
    expect(missingStoredVersions(silent, later)).toEqual(["v1beta1"]);
    expect(crdState(silent, { total: 10, conversionFailure: null }, later).state).toBe("blocked");
    const young = sampleRun({ delegation: { ...delegation, phase: null } });
    expect(prunedUnproven({ ...silent, record: sampleRecord({ runs: [young] }) }, later)).toEqual(["v1beta1"]);
    expect(prunedUnproven({ ...silent, record: sampleRecord({ runs: [{ ...young, phase: "failed" }] }) }, later)).toEqual([]);
  });
});

describe("a list that the cluster's own engine shortened", () => {
  const before = sampleCrd();

  test("when it says to have succeeded: its word is taken as a declaration", () => {
    const after = sampleCrd({ ...succeeded(), storedVersions: ["v1"] });
    expect(unprovenShrink(before, after, [])).toEqual([]);
    expect(unprovenShrink(before, { ...after, generation: 3 }, ["v1beta1"])).toEqual(["v1beta1"]);
  });

  // By its reason and generation alone, a success for an earlier spec covers whoever shortens the list afterwards.
  test("when it says that it succeeded for an earlier spec, and left the list as it was: unproven, whoever shortened it", () => {
    const after = sampleCrd({ ...succeeded({ isUpdated: false }), storedVersions: ["v1"] });
    expect(unprovenShrink(before, after, [])).toEqual(["v1beta1"]);
  });

  test("when it has only begun, or failed: unproven", () => {
    const begun = sampleCrd({ ...migrating("True", "MigrationRunning"), storedVersions: ["v1"] });
    expect(unprovenShrink(before, begun, [])).toEqual(["v1beta1"]);
    expect(unprovenShrink(begun, sampleCrd(failed), ["v1beta1"])).toEqual(["v1beta1"]);
  });
});
