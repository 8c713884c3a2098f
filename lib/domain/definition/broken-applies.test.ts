import { describe, expect, test } from "vitest";
import type { Proof } from "#lib/domain/record/rewrite-record.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import { sampleCrd, sampleProof, sampleRecord, sampleRun } from "#lib/domain/testing/sample-crd.ts";
import { brokenApplies, changedByProvenRun, changedSince, countAfterChanges } from "./broken-applies.ts";
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
  const changedByProof = (now: Crd) => [...changedByProvenRun(now, { asOf, versions: new Map() }).values()];

  test("is outdated by a later proven rewrite that changed them, also of an earlier spec", () => {
    expect(changedByProof(proven({ ownership: changed }))).toEqual([9]);
    expect(changedByProof(proven({ ownership: { keep: false, kept: 1, lost: 8 } }))).toEqual([9]);
    expect(changedByProof({ ...proven({ ownership: changed }), generation: 3 })).toEqual([9]);
    // From Kubernetes 1.37 on, a plain rewrite keeps what it can't update.
    expect(changedByProof(proven({}))).toEqual([0]);
    expect(changedByProof({ ...crd, generation: 3 })).toEqual([]);
  });

  // With the times and ids of runs (changedByProvenRun), which are not signed, whoever may patch the definition outdates it.
  test("is not outdated by an earlier proof, one that anyone may have written, or a run that it doesn't name", () => {
    expect(changedByProof(proven({ ownership: changed }, { provenAt: "2026-01-02T11:59:59.000Z" }))).toEqual([]);
    expect(changedByProof({ ...proven({ ownership: changed }), claims: { proof: true, settlePoint: false, dryRun: false } })).toEqual([]);
    expect(changedByProof(proven({ ownership: changed, id: "another" }))).toEqual([]);
    expect(changedByProof({ ...crd, record: sampleRecord({ runs: [sampleRun({ phase: "succeeded", ownership: changed })] }) })).toEqual([]);
  });

  // If any change outdated it (countAfterChanges), a definition would show as current once a run has carried over a few entries.
  test("counts on for the objects that a run didn't reach", () => {
    const count = { asOf, versions: new Map(Object.entries({ v1: 16, v1alpha1: 16, v1alpha2: 2 })) };
    expect(countAfterChanges(crd, count, 0)).toBe(count);
    expect(countAfterChanges(crd, count, 2)?.versions).toEqual(new Map([["v1alpha1", 14]]));
    // Without atLeast "fails for 14 objects", of which there are 16 if the run has changed two others.
    expect(brokenApplies({ ...crd, managedFieldsCount: countAfterChanges(crd, count, 2) })).toMatchObject({ objects: 14, atLeast: true });
    expect(countAfterChanges(crd, count, 16)).toBeNull();
    expect(countAfterChanges(crd, count, Number.POSITIVE_INFINITY)).toBeNull();
  });

  // By all that a run has changed, one that is resumed after the count would make it outdated.
  test("takes off only what a run has changed since", () => {
    const count = { asOf, versions: new Map([["v1alpha1", 4]]), changedBefore: new Map([["resumed", 8]]) };
    expect(changedSince(count, new Map([["resumed", 9]]))).toBe(1);
    expect(
      changedSince(
        count,
        new Map([
          ["resumed", 8],
          ["another", 3],
        ]),
      ),
    ).toBe(3);
    expect(changedSince(count, new Map([["resumed", Number.POSITIVE_INFINITY]]))).toBe(Number.POSITIVE_INFINITY);
  });
});
