import { expect, test } from "vitest";
import { provenCrd, sampleCrd, sampleRecord, sampleRun, sampleVersion } from "#lib/domain/testing/sample-crd.ts";
import type { Crd } from "./crd.ts";
import { crdState, type ObjectsEvidence } from "./crd-state.ts";

const now = Date.parse("2026-01-02T12:00:10.000Z");
const counted = { total: 1_500, conversionFailure: null };
const stateOf = (crd: Crd, objects: ObjectsEvidence = counted) => crdState(crd, objects, now);

const established = sampleCrd().conditions;
const migrationFailed = [...established, { type: "StorageMigrating", status: "False" as const, reason: "MigrationFailed", message: "" }];
const unservedStorage = [sampleVersion("v1beta1"), sampleVersion("v1", { storage: true, served: false })];

const cases: { when: string; crd: Crd; objects?: ObjectsEvidence; state: string; reason: string }[] = [
  {
    when: "it is being deleted",
    crd: sampleCrd({ deletionTimestamp: "2026-01-02T11:00:00Z" }),
    state: "unknown",
    reason: "It is being deleted; its versions no longer matter.",
  },
  {
    when: "it has no status yet",
    crd: sampleCrd({ storedVersions: [], conditions: [] }),
    state: "unknown",
    reason: "The API server has not written its status yet.",
  },
  {
    when: "no version has storage",
    crd: sampleCrd({ versions: [sampleVersion("v1")] }),
    state: "blocked",
    reason: "No version has storage: true.",
  },
  {
    when: "its names are not accepted, though its only version is declared",
    crd: sampleCrd({
      storedVersions: ["v1"],
      conditions: [
        { type: "NamesAccepted", status: "False", reason: "ShortNamesConflict", message: '"ct" is already in use' },
        { type: "Established", status: "False", reason: "NotAccepted", message: "not all names are accepted" },
      ],
    }),
    state: "blocked",
    reason: 'Its names are not accepted, so nothing is served: "ct" is already in use. See its conditions.',
  },
  {
    when: "it is not established yet",
    crd: sampleCrd({ conditions: [{ type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "" }] }),
    state: "unknown",
    reason: "It is not established yet, so nothing is served. See its conditions.",
  },
  {
    when: "the stored versions are empty",
    crd: sampleCrd({ storedVersions: [] }),
    state: "blocked",
    reason: "status.storedVersions is empty, so it can't be trusted.",
  },
  {
    when: "the stored versions lack the storage version",
    crd: sampleCrd({ storedVersions: ["v1beta1"] }),
    state: "blocked",
    reason: "status.storedVersions is missing the storage version v1, so it can't be trusted.",
  },
  {
    when: "the stored versions name a version twice, even when all is current",
    crd: sampleCrd({ storedVersions: ["v1", "v1"] }),
    state: "blocked",
    reason: "status.storedVersions lists v1 twice, so it can't be trusted.",
  },
  {
    when: "the stored versions name a version that the spec lost",
    crd: sampleCrd({ storedVersions: ["v9", "v1"] }),
    state: "blocked",
    reason: "status.storedVersions lists v9, which is not in spec.versions, so it can't be trusted.",
  },
  {
    when: "they name a version that the spec lost, even with a proof: the API server refuses the annotation too",
    crd: provenCrd({ storedVersions: ["v9", "v1"] }),
    state: "blocked",
    reason: "status.storedVersions lists v9, which is not in spec.versions, so it can't be trusted.",
  },
  {
    when: "the stored versions are invalid in a way that a prune fixes, with a proof",
    crd: provenCrd({ storedVersions: ["v1beta1", "v1beta1", "v1"] }),
    state: "prunable",
    reason: "1,500 objects proven to be stored as v1; v1beta1 can be pruned.",
  },
  {
    when: "the proof isn't this crdshift's, and covers no more objects than a prune verifies",
    crd: provenCrd({ claims: { proof: true, settlePoint: false, dryRun: false } }),
    objects: { total: 1_000, conversionFailure: null },
    state: "prunable",
    reason: "A proof that this crdshift didn't make covers 1,500 objects. Pruning v1beta1 verifies it first.",
  },
  {
    when: "the proof isn't this crdshift's, and covers more objects than a prune verifies",
    crd: provenCrd({ claims: { proof: true, settlePoint: false, dryRun: false } }),
    state: "needs-rewrite",
    reason: "A proof that this crdshift didn't make covers 1,500 objects, too many for a prune to verify. Rewrite them here first.",
  },
  {
    when: "the cluster's own migration is running",
    crd: sampleCrd({ conditions: [...established, { type: "StorageMigrating", status: "True", reason: "MigrationRunning", message: "" }] }),
    state: "rewriting",
    reason: "The cluster's own StorageVersionMigration is running.",
  },
  ...(
    [
      ["settling", "Waiting until no request can still be stored at an older version."],
      ["rewriting", "Rewriting objects to v1."],
      ["verifying", "Verifying that every object is stored as v1."],
      ["paused", "The rewrite is paused."],
    ] as const
  ).map(([phase, reason]) => ({
    when: `a run is ${phase}`,
    crd: sampleCrd({ record: sampleRecord({ runs: [sampleRun({ phase })] }) }),
    state: "rewriting",
    reason,
  })),
  {
    when: "an in-tree migration failed, even when all is declared current",
    crd: sampleCrd({ storedVersions: ["v1"], conditions: migrationFailed }),
    state: "blocked",
    reason:
      "The cluster's own StorageVersionMigration didn't succeed, but may have shortened status.storedVersions: objects may still be stored as v1beta1, yet the API server would let you drop it. Repair storedVersions, then rewrite.",
  },
  {
    when: "an in-tree migration failed, and crdshift has since proven the objects",
    crd: provenCrd({ storedVersions: ["v1"], conditions: migrationFailed }),
    state: "current",
    reason: "1,500 objects proven to be stored as v1.",
  },
  {
    when: "a version vanished from the stored versions without a proof",
    crd: sampleCrd({ storedVersions: ["v1"], shrankWithoutProof: ["v1beta1"] }),
    state: "blocked",
    reason:
      "v1beta1 was removed from status.storedVersions without a proof, so objects may still be stored as v1beta1. Repair storedVersions, then rewrite.",
  },
  {
    when: "all but one of several versions vanished without a proof",
    crd: sampleCrd({ storedVersions: ["v1beta1", "v1"], shrankWithoutProof: ["v1alpha1", "v1alpha2"] }),
    state: "blocked",
    reason:
      "v1alpha1, v1alpha2 were removed from status.storedVersions without a proof, so objects may still be stored as v1alpha1, v1alpha2. Repair storedVersions, then rewrite.",
  },
  {
    when: "everything is proven, and pruned",
    crd: provenCrd({ storedVersions: ["v1"] }),
    state: "current",
    reason: "1,500 objects proven to be stored as v1.",
  },
  {
    when: "only the storage version is stored",
    crd: sampleCrd({ storedVersions: ["v1"] }),
    state: "current",
    reason: "Only v1 is listed (not verified).",
  },
  {
    when: "only the storage version is stored, though it is not served",
    crd: sampleCrd({ storedVersions: ["v1"], versions: unservedStorage }),
    state: "current",
    reason: "Only v1 is listed (not verified).",
  },
  {
    when: "there are leftover versions and storage is not served",
    crd: sampleCrd({ versions: unservedStorage }),
    state: "blocked",
    reason: "Objects may still be stored as v1beta1, but the storage version v1 is not served, so they can't be rewritten.",
  },
  {
    when: "objects can't be converted",
    crd: sampleCrd(),
    objects: { total: null, conversionFailure: "conversion webhook for CronTab failed: connection refused" },
    state: "blocked",
    reason: "Objects can't be converted: conversion webhook for CronTab failed: connection refused",
  },
];

test.each(cases)("is $state when $when", ({ crd, objects, state, reason }) => {
  const { brokenApplies: _, ...rest } = stateOf(crd, objects);
  expect(rest).toEqual({ state, reason });
});
