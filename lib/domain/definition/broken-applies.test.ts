import { describe, expect, test } from "vitest";
import type { Proof } from "#lib/domain/record/rewrite-record.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import { sampleCrd, sampleProof, sampleRecord, sampleRun } from "#lib/domain/testing/sample-crd.ts";
import { brokenApplies, isRewrittenSince } from "./broken-applies.ts";
import type { Crd } from "./crd.ts";

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

describe("a count of managedFields", () => {
  const crd = sampleCrd();
  const changed = { keep: true, kept: 9, lost: 0 };
  /** Proven by a run with these changes, a minute after the count. */
  const proven = (changes: Partial<Run>, proof: Partial<Proof> = {}) => ({
    ...crd,
    record: sampleRecord({
      proof: sampleProof(crd, { provenAt: "2026-01-02T12:01:00.000Z", ...proof }),
      runs: [sampleRun({ phase: "succeeded", endedAt: "2026-01-02T12:01:00.000Z", ...changes })],
    }),
  });
  const isOutdated = (now: Crd) => isRewrittenSince(now, { asOf, versions: new Map() });

  test("is outdated by a later proven rewrite that changed them, also of an earlier spec", () => {
    expect(isOutdated(proven({ ownership: changed }))).toBe(true);
    expect(isOutdated(proven({ ownership: { keep: false, kept: 0, lost: 9 } }))).toBe(true);
    expect(isOutdated({ ...proven({ ownership: changed }), generation: 3 })).toBe(true);
    // From Kubernetes 1.37 on, a plain rewrite keeps what it can't update.
    expect(isOutdated(proven({}))).toBe(false);
    expect(isOutdated({ ...crd, generation: 3 })).toBe(false);
  });

  // With the times and ids of runs (isRewrittenSince), which are not signed, whoever may patch the definition outdates it.
  test("is not outdated by an earlier proof, one that anyone may have written, or a run that it doesn't name", () => {
    expect(isOutdated(proven({ ownership: changed }, { provenAt: "2026-01-02T11:59:59.000Z" }))).toBe(false);
    expect(isOutdated({ ...proven({ ownership: changed }), claims: { proof: true, settlePoint: false } })).toBe(false);
    expect(isOutdated(proven({ ownership: changed, id: "another" }))).toBe(false);
    expect(isOutdated({ ...crd, record: sampleRecord({ runs: [sampleRun({ phase: "succeeded", ownership: changed })] }) })).toBe(false);
  });
});
