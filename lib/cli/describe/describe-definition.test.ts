import { expect, test } from "vitest";
import { UNCOUNTED } from "#lib/cluster/objects/object-totals.ts";
import { sampleDetail } from "#lib/cluster/testing/sample-detail.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { Migration } from "#lib/domain/rewrite/migration.ts";
import {
  provenCrd,
  sampleCrd,
  sampleDryRunRecord,
  sampleEtcdCount,
  sampleRecord,
  sampleRun,
  sampleVersion,
} from "#lib/domain/testing/sample-crd.ts";
import { localTime } from "#lib/domain/wording/local-time.ts";
import { describeDefinition } from "./describe-definition.ts";

const now = Date.parse("2026-01-02T12:00:10.000Z");
const counted = { ...UNCOUNTED, total: 1_500, basis: "list" } as const;
const detail = (crd: Crd) => sampleDetail(crd, counted, now);
const describe = (crd: Crd) => describeDefinition(detail(crd), "kubectl crdshift", now);
const next = (crd: Crd) => /^Next: +(.*)$/m.exec(describe(crd))?.[1];

test("shows the state with its reason, the versions, and what a leftover blocks", () => {
  const text = describe(sampleCrd());
  expect(text).toMatch(/^State: +needs rewrite$/m);
  expect(text).toMatch(/^Why: +Up to 1,500 objects may still be stored as v1beta1\.$/m);
  expect(text).toMatch(
    /^VERSION +SERVED +STORAGE +STORED +DEPRECATED\nv1 +true +true +listed +false\nv1beta1 +true +false +listed +false$/m,
  );
  expect(text).toMatch(/^If you drop v1beta1 now, the API server answers:\n {2}status\.storedVersions\[0\]: Invalid value: "v1beta1"/m);
});

// With "no" for each version that isn't listed (describe-definition.ts) it denies what etcd holds.
test("says of each version whether status.storedVersions lists it, and of which it lacks", () => {
  const versions = [sampleVersion("v1", { storage: true }), sampleVersion("v1beta1"), sampleVersion("v1alpha1")];
  const crd = sampleCrd({ versions, storedVersions: ["v1"], etcdCount: sampleEtcdCount({ v1beta1: [1, "100"] }) });
  expect(describe(crd)).toMatch(/^v1 .* listed .*\nv1beta1 .* missing .*\nv1alpha1 .* not listed .*$/m);
});

// Without `moreMigrations` (describe-definition.ts) fifty look like all there were.
test("says how many older migrations it leaves out", () => {
  const { name: resource } = sampleCrd();
  const made: Migration = {
    ...{ engine: "in-tree", name: "m", uid: "m", resource, runId: null },
    ...{ phase: "succeeded", message: "", createdAt: "2026-01-02T11:00:00Z", since: null },
  };
  const migrations = Array.from({ length: 52 }, (_, index) => ({ ...made, name: `m-${index}` }));
  expect(describe(sampleCrd({ migrations }))).toMatch(/^Migration: +m-49, .*\nMigrations: +2 older ones not shown$/m);
  expect(describe(sampleCrd({ migrations: migrations.slice(2) }))).not.toContain("not shown");
});

test("says that etcd was restored, and what to do", () => {
  const restoredEtcd = { at: "2026-01-02T12:00:00.000Z", from: "960", to: "940" };
  const text = describeDefinition({ ...detail(sampleCrd()), restoredEtcd }, "kubectl crdshift", now);
  expect(text).toMatch(
    /^Restored: +etcd was restored from a backup\. The cluster went back to a state from before resourceVersion 960\..* rewrite again/m,
  );
  expect(describe(sampleCrd())).not.toContain("Restored:");
});

test("suggests the same next step as the definition's page", () => {
  const crd = sampleCrd();
  expect(next(crd)).toBe("kubectl crdshift dry-run crontabs.example.com");
  expect(next({ ...crd, record: sampleRecord({ dryRun: sampleDryRunRecord(crd) }) })).toBe("kubectl crdshift rewrite crontabs.example.com");
  expect(next({ ...crd, record: sampleRecord({ runs: [sampleRun({ phase: "interrupted" })] }) })).toMatch(/rewrite .* --resume$/);
  expect(next(provenCrd())).toBe("kubectl crdshift prune crontabs.example.com");
  expect(next(sampleCrd({ storedVersions: ["v1"] }))).toBeUndefined();
  expect(next({ ...crd, record: sampleRecord({ runs: [sampleRun()] }) })).toBeUndefined();
  expect(next(sampleCrd({ storedVersions: ["v1"], shrankWithoutProof: ["v1beta1"] }))).toBe("kubectl crdshift repair crontabs.example.com");
  const contradicted = { ...provenCrd(), etcdCount: sampleEtcdCount({ v1beta1: [3, "990"] }) };
  expect(next(contradicted)).toBe("kubectl crdshift rewrite crontabs.example.com --verify every-object");
  const heldBack = sampleRun({ phase: "unproven", heldBackBecause: "It rewrote nothing: spec.a would be dropped in 3 objects." });
  expect(next({ ...crd, record: sampleRecord({ runs: [heldBack] }) })).toMatch(
    /^See the losses: kubectl crdshift dry-run .* kubectl crdshift rewrite crontabs\.example\.com --accept-losses \(add --keep-ownership/,
  );
});

// Without the standing (describe-definition.ts) status tells a proof that anyone may have written like one of this installation.
test("tells a claimed proof as a claim", () => {
  const line = (crd: Crd) => /^Proof: +(.*)$/m.exec(describe(crd))?.[1];
  const claimed = line({ ...provenCrd(), claims: { proof: true, settlePoint: false, dryRun: false } });
  expect(claimed).toMatch(
    /^1,500 objects stored as v1, .*; claimed, not signed by this installation: a rewrite verifies it, and so does a prune of up to 1,000 objects$/,
  );
  expect(line(provenCrd())).not.toContain("claimed");
});

test("offers what the page offers after a dry run with losses, and lists them", () => {
  const crd = sampleCrd();
  const losses = [{ kind: "dropped" as const, path: "spec.old", objects: 20, examples: [] }];
  const lossy = { ...crd, record: sampleRecord({ dryRun: sampleDryRunRecord(crd, { losses }) }) };
  expect(next(lossy)).toMatch(/^See the losses: .* --accept-losses/);
  expect(describe(lossy)).toMatch(/^LOSS +OBJECTS +PATH +EXAMPLE\ndropped +20 +spec\.old/m);
});

test("offers to accept losses unseen only if none is listed", () => {
  const crd = sampleCrd();
  const losses = [{ kind: "dropped" as const, path: "spec.old", objects: 20, examples: [] }];
  const unknown = (changes = {}) =>
    next({ ...crd, record: sampleRecord({ dryRun: sampleDryRunRecord(crd, { lossesKnown: false, ...changes }) }) });
  expect(unknown()).toMatch(/^See why losses are unknown: .* kubectl crdshift rewrite crontabs\.example\.com --accept-unseen$/);
  expect(unknown({ losses })).not.toContain("--accept-unseen");
});

test("offers to accept what is unknown beside listed losses where an unserved version hides it, and ownership only where it is lost", () => {
  const versions = [sampleVersion("v1", { storage: true }), sampleVersion("v1beta1"), sampleVersion("v1alpha1", { served: false })];
  const crd = sampleCrd({ versions });
  const after = (changes: object) => next({ ...crd, record: sampleRecord({ dryRun: sampleDryRunRecord(crd, changes) }) });
  const dropped = { kind: "dropped" as const, path: "spec.old", objects: 20, examples: [] };
  const owned = { kind: "managed-fields" as const, path: 'metadata.managedFields[manager="x"]', objects: 2, examples: [] };
  expect(after({ lossesKnown: false, losses: [dropped] })).toMatch(/accept them, and what is unknown, .* --accept-losses --accept-unseen$/);
  expect(after({ losses: [dropped] })).toMatch(/--accept-losses$/);
  expect(after({ losses: [dropped, owned] })).toMatch(/--accept-losses \(add --keep-ownership to keep managedFields\)$/);
});

test("offers to see what was rejected, as the page does, and lists it", () => {
  const rejections = [{ reason: "Invalid", message: "size must not change", count: 1, examples: [{ namespace: "east", name: "one" }] }];
  const run = sampleRun({ phase: "unproven", rejections, counts: { ...sampleRun().counts, rejected: 1 } });
  const rejected = { ...sampleCrd(), record: sampleRecord({ runs: [run] }) };
  expect(next(rejected)).toBe("Fix what rejected the objects, then: kubectl crdshift rewrite crontabs.example.com");
  expect(describe(rejected)).toContain("1 object rejected, Invalid: size must not change\n  east/one");
});

test("says why server-side apply fails and how to end that, as the page does", () => {
  const managedFieldsCount = { asOf: "2026-01-02T12:00:05.000Z", versions: new Map([["v1alpha1", 1_500]]) };
  const broken = sampleCrd({ storedVersions: ["v1"], managedFieldsCount });
  expect(describe(broken)).toMatch(
    /^Why: +Server-side apply fails for 1,500 objects: their managedFields name v1alpha1, which is gone\.$/m,
  );
  const clean = "Clean v1alpha1 under Managed fields on the definition's page";
  const carryOver = "kubectl crdshift rewrite crontabs.example.com --keep-ownership";
  expect(next(broken)).toBe(`${clean}, or carry over what fits: ${carryOver}`);
  const kept = sampleRun({ phase: "succeeded", verify: "every-object", ownership: { keep: true, kept: 0, lost: 0 } });
  expect(next({ ...broken, record: sampleRecord({ runs: [kept] }) })).toBe(clean);
  expect(next({ ...provenCrd(), managedFieldsCount })).toBe(
    `${clean}, or carry over what fits: ${carryOver}; to prune meanwhile: kubectl crdshift prune crontabs.example.com`,
  );
});

test("says what a rewrite waits for, what to fix, and when it tries again", () => {
  const statusReason = "Objects can't be converted: conversion webhook for example.com/v1beta1, Kind=CronTab failed: connection refused";
  const run = sampleRun({ statusReason, retryAt: "2026-01-02T12:00:22.000Z" });
  const text = describe({ ...sampleCrd(), record: sampleRecord({ runs: [run] }) });
  expect(text).toMatch(/^State: +blocked$/m);
  expect(text).toMatch(/^Why: +Objects can't be converted: .*connection refused\. A rewrite waits for it\.$/m);
  expect(text).toMatch(/^Fix: +Start the webhook's server/m);
  expect(text).toMatch(/^Next try: +in 12 s$/m);
});

// With the advice only where it is blocked (describe-definition.ts) it says what fails, and not what to fix.
test("says what to fix for objects that can't be converted while a rewrite goes on with the others", () => {
  const refused = "conversion webhook for example.com/v1beta1, Kind=CronTab failed: connection refused";
  const failed = { total: null, basis: "failed", asOf: null, message: refused, conversionFailure: refused } as const;
  const crd = sampleDetail({ ...sampleCrd(), record: sampleRecord({ runs: [sampleRun()] }) }, failed, now);
  const text = describeDefinition(crd, "kubectl crdshift", now);
  expect(text).toMatch(/^State: +rewriting$/m);
  expect(text).toMatch(/^Why: +Rewriting objects to v1\. Not all objects can be converted: .*connection refused\.$/m);
  expect(text).toMatch(/^Fix: +Start the webhook's server/m);
});

test("times are local, with the date unless it is today", () => {
  const ended = sampleRun({ phase: "cancelled", startedAt: "2025-12-24T11:59:00.000Z" });
  const crd = { ...sampleCrd(), record: sampleRecord({ runs: [ended] }) };
  const started = localTime(ended.startedAt, now);
  expect(started).toMatch(/^2\d Dec 2025, \d\d:\d\d$/);
  expect(describe(crd)).toContain(`cancelled, started ${started} by alice`);
});

test("marks a proof that no longer holds", () => {
  const provenAt = localTime("2026-01-02T12:00:00.000Z", now);
  expect(describe(provenCrd())).toMatch(new RegExp(`^Proof: +1,500 objects stored as v1, ${provenAt}$`, "m"));
  expect(describe({ ...provenCrd(), generation: 3 })).toMatch(/^Proof: .*; it no longer holds: its spec changed/m);
  // Without the contradiction (describe-definition.ts) the line says that all objects are stored as v1, which etcd denies.
  const contradicted = { ...provenCrd(), etcdCount: sampleEtcdCount({ v1: [9, "960"], v1beta1: [3, "980"] }) };
  expect(describe(contradicted)).toMatch(/^Proof: .*; a count in etcd speaks against it: etcd holds 3 objects stored as v1beta1/m);
});
