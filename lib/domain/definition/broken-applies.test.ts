import { expect, test } from "vitest";
import { brokenApplies } from "./broken-applies.ts";
import { sampleCrd, sampleRecord, sampleRun } from "./sample-crd.ts";

const asOf = "2026-01-02T12:00:05.000Z";
const counted = (versions: Record<string, number>, changes: Parameters<typeof sampleCrd>[0] = {}) =>
  sampleCrd({ managedFieldsCount: { asOf, versions: new Map(Object.entries(versions)) }, ...changes });

test("server-side apply is broken for the objects that name a version which is gone", () => {
  expect(brokenApplies(counted({ v1: 1_500, v1alpha1: 1_500 }))).toEqual({ asOf, versions: ["v1alpha1"], objects: 1_500, atLeast: false });
  expect(brokenApplies(counted({ v1alpha1: 20, v1alpha2: 30 }))).toEqual({
    ...{ asOf, versions: ["v1alpha2", "v1alpha1"], objects: 30, atLeast: true },
  });
});

test("it works where every named version is in the spec, no object names another, or nothing was counted", () => {
  expect(brokenApplies(counted({ v1: 3, v1beta1: 1_500 }))).toBeNull();
  expect(brokenApplies(counted({ v1alpha1: 0 }))).toBeNull();
  expect(brokenApplies(counted({ "": 7 }))).toBeNull();
  expect(brokenApplies(sampleCrd())).toBeNull();
});

test("a count from before a rewrite changed managedFields says nothing; one that left them as they were, or a new generation, changes no entry", () => {
  const run = (changes: Parameters<typeof sampleRun>[0]) =>
    counted({ v1alpha1: 9 }, { record: sampleRecord({ runs: [sampleRun({ phase: "succeeded", ...changes })] }) });
  const endedAt = "2026-01-02T12:01:00.000Z";
  const kept = { keep: true, kept: 9, lost: 0 };
  const lost = { keep: false, kept: 0, lost: 9 };
  expect(brokenApplies(run({ endedAt, ownership: kept }))).toBeNull();
  expect(brokenApplies(run({ endedAt, ownership: lost }))).toBeNull();
  expect(brokenApplies(run({ endedAt: "2026-01-02T11:59:59.000Z", ownership: kept }))).not.toBeNull();
  // From Kubernetes 1.37 on, a plain rewrite keeps what it can't update.
  expect(brokenApplies(run({ endedAt, ownership: { keep: false, kept: 0, lost: 0 } }))).not.toBeNull();
  expect(brokenApplies(counted({ v1alpha1: 9 }, { generation: 3 }))).not.toBeNull();
});
