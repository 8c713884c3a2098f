import { describe, expect, test } from "vitest";
import { provenCrd, sampleCrd, sampleProof, sampleRecord, sampleRun, sampleVersion } from "#lib/domain/testing/sample-crd.ts";
import type { Crd } from "./crd.ts";
import { crdState, type ObjectsEvidence } from "./crd-state.ts";

const now = Date.parse("2026-01-02T12:00:10.000Z");
const counted = { total: 1_500, conversionFailure: null };
const stateOf = (crd: Crd, objects: ObjectsEvidence = counted) => crdState(crd, objects, now);

const unservedStorage = [sampleVersion("v1beta1"), sampleVersion("v1", { storage: true, served: false })];
const rejections = [{ reason: "Forbidden", message: "the freeze policy says no", count: 3, examples: [] }];
const counts = { total: 100, rewritten: 97, alreadyCurrent: 0, gone: 0, rejected: 3, remaining: 0 };
const blockedRun = sampleRun({ phase: "unproven", counts, rejections });

const refused = "conversion webhook for example.com/v1beta1, Kind=CronTab failed: connection refused";
const fieldsCount = (versions: Record<string, number>) => ({
  asOf: "2026-01-02T12:00:05.000Z",
  versions: new Map(Object.entries(versions)),
});

const unreadable =
  "This crdshift can't read the annotation crdshift.dev/rewrite; a newer crdshift may be using it. Use that crdshift. If there is none, " +
  "remove the annotation, then rewrite with every object verified: kubectl annotate customresourcedefinition crontabs.example.com " +
  "crdshift.dev/rewrite-";

/** What proofs, runs, and counts show of a definition whose own fields are in order. */
const cases: { when: string; crd: Crd; objects?: ObjectsEvidence; state: string; reason: string }[] = [
  {
    when: "there is a proof",
    crd: provenCrd(),
    state: "prunable",
    reason: "1,500 objects proven to be stored as v1; v1beta1 can be pruned.",
  },
  {
    when: "the last run rejected objects",
    crd: sampleCrd({ record: sampleRecord({ runs: [blockedRun] }) }),
    state: "blocked",
    reason: "3 objects could not be rewritten: the freeze policy says no",
  },
  {
    when: "the last run rejected objects, but the spec changed since",
    crd: sampleCrd({ record: sampleRecord({ runs: [blockedRun] }), specChangedAt: "2026-01-02T12:00:05Z" }),
    state: "needs-rewrite",
    reason: "Up to 1,500 objects may still be stored as v1beta1.",
  },
  {
    // Without generationSeen (isOfThisSpec in crd-state.ts) the rejections are forgotten as soon as the spec's manager writes anything.
    when: "the last run rejected objects, and a manager of the spec has stamped an annotation since",
    crd: sampleCrd({
      record: sampleRecord({ runs: [blockedRun], generationSeen: { generation: sampleCrd().generation, at: "2026-01-01T00:00:00Z" } }),
      specChangedAt: "2026-01-02T12:00:05Z",
    }),
    state: "blocked",
    reason: "3 objects could not be rewritten: the freeze policy says no",
  },
  {
    when: "the last run rejected objects, but it began with another generation",
    crd: sampleCrd({ record: sampleRecord({ runs: [blockedRun], generationSeen: { generation: 1, at: "2026-01-01T00:00:00Z" } }) }),
    state: "needs-rewrite",
    reason: "Up to 1,500 objects may still be stored as v1beta1.",
  },
  {
    when: "a run was interrupted",
    crd: sampleCrd({ record: sampleRecord({ runs: [sampleRun({ phase: "interrupted" })] }) }),
    state: "needs-rewrite",
    reason: "A rewrite was interrupted. Resume it to continue where it stopped.",
  },
  {
    when: "a run claims to be live but has been silent for a minute",
    crd: sampleCrd({ record: sampleRecord({ runs: [sampleRun({ renewedAt: "2026-01-02T11:59:10.000Z" })] }) }),
    state: "needs-rewrite",
    reason: "A rewrite was interrupted. Resume it to continue where it stopped.",
  },
  {
    when: "a run was cancelled",
    crd: sampleCrd({ record: sampleRecord({ runs: [sampleRun({ phase: "cancelled" })] }) }),
    state: "needs-rewrite",
    reason: "The last rewrite was cancelled; objects may still be stored as v1beta1.",
  },
  {
    when: "the proof no longer holds",
    crd: sampleCrd({ generation: 3, record: sampleRecord({ proof: sampleProof(sampleCrd()) }) }),
    state: "needs-rewrite",
    reason: "The earlier proof no longer holds: its spec changed (generation 2 became 3).",
  },
  {
    when: "there are no objects",
    crd: sampleCrd(),
    objects: { total: 0, conversionFailure: null },
    state: "needs-rewrite",
    reason: "No objects, but v1beta1 is still listed. A quick rewrite proves that no object needs it.",
  },
  {
    when: "the number of objects is unknown",
    crd: sampleCrd(),
    objects: { total: null, conversionFailure: null },
    state: "needs-rewrite",
    reason: "Objects may still be stored as v1beta1.",
  },
  {
    when: "there is one object",
    crd: sampleCrd(),
    objects: { total: 1, conversionFailure: null },
    state: "needs-rewrite",
    reason: "Up to 1 object may still be stored as v1beta1.",
  },
  {
    when: "a rewrite waits for a conversion webhook, though its last list could be read",
    crd: sampleCrd({ record: sampleRecord({ runs: [sampleRun({ statusReason: `Objects can't be converted: ${refused}` })] }) }),
    state: "blocked",
    reason: `Objects can't be converted: ${refused}. A rewrite waits for it.`,
  },
  {
    // With any failed count (crd-state.ts) a rewrite that goes on is said to wait for it.
    when: "objects can't be converted while a rewrite settles",
    crd: sampleCrd({ record: sampleRecord({ runs: [sampleRun({ phase: "settling", statusReason: "65 s since the spec changed." })] }) }),
    objects: { total: null, conversionFailure: refused },
    state: "rewriting",
    reason: `Waiting until no request can still be stored at an older version. Not all objects can be converted: ${refused}.`,
  },
  {
    when: "the first object can't be converted, and a rewrite goes on with the others",
    crd: sampleCrd({ record: sampleRecord({ runs: [sampleRun()] }) }),
    objects: { total: null, conversionFailure: refused },
    state: "rewriting",
    reason: `Rewriting objects to v1. Not all objects can be converted: ${refused}.`,
  },
  {
    when: "objects can't be converted and a rewrite is paused",
    crd: sampleCrd({ record: sampleRecord({ runs: [sampleRun({ phase: "paused", statusReason: `Paused manually. ${refused}` })] }) }),
    state: "blocked",
    reason: `Objects can't be converted: ${refused}. A rewrite is paused meanwhile.`,
  },
  {
    when: "a rewrite backs off for another reason",
    crd: sampleCrd({ record: sampleRecord({ runs: [sampleRun({ statusReason: "The API server asked crdshift to slow down." })] }) }),
    state: "rewriting",
    reason: "Rewriting objects to v1.",
  },
  {
    when: "managedFields name a version that is gone, though everything is stored as declared",
    crd: sampleCrd({ storedVersions: ["v1"], managedFieldsCount: fieldsCount({ v1alpha1: 1_500 }) }),
    state: "blocked",
    reason: "Server-side apply fails for 1,500 objects: their managedFields name v1alpha1, which is gone.",
  },
  {
    when: "managedFields name a version that is gone, though everything is proven",
    crd: provenCrd({ managedFieldsCount: fieldsCount({ v1alpha1: 1 }) }),
    state: "blocked",
    reason: "Server-side apply fails for 1 object: its managedFields name v1alpha1, which is gone.",
  },
  {
    when: "managedFields name versions that are gone, and a rewrite is needed anyway",
    crd: sampleCrd({ managedFieldsCount: fieldsCount({ v1alpha1: 20, v1alpha2: 30 }) }),
    state: "needs-rewrite",
    reason:
      "Up to 1,500 objects may still be stored as v1beta1. Server-side apply fails for at least 30 objects: their managedFields name v1alpha2, v1alpha1, which are gone.",
  },
  {
    when: "managedFields name only versions in the spec",
    crd: provenCrd({ storedVersions: ["v1"], managedFieldsCount: fieldsCount({ v1: 1_500, v1beta1: 1_500 }) }),
    state: "current",
    reason: "1,500 objects proven to be stored as v1.",
  },
  {
    when: "an object is stored in a version that the spec doesn't have, although only the storage version is listed",
    crd: sampleCrd({ versions: [sampleVersion("v1", { storage: true })], storedVersions: ["v1"] }),
    objects: {
      total: null,
      conversionFailure: "object not decodable: request to convert CR from an invalid group/version: example.com/v1beta1",
    },
    state: "blocked",
    reason:
      "An object is stored as v1beta1, which spec.versions doesn't have, so no object can be listed. Put v1beta1 back into spec.versions, " +
      "then rewrite with every object verified.",
  },
  {
    when: "another writer changed the annotation",
    crd: sampleCrd({ record: "unreadable" }),
    state: "blocked",
    reason: unreadable,
  },
  {
    when: "another writer changed the annotation, which may have held a doubt, and only the storage version is listed",
    crd: sampleCrd({ record: "unreadable", storedVersions: ["v1"] }),
    state: "blocked",
    reason: unreadable,
  },
];

test.each(cases)("is $state when $when", ({ crd, objects, state, reason }) => {
  const { brokenApplies: _, ...rest } = stateOf(crd, objects);
  expect(rest).toEqual({ state, reason });
});

test("says which versions' entries to clean only where that is what blocks it", () => {
  const managedFieldsCount = fieldsCount({ v1alpha1: 3 });
  expect(stateOf(sampleCrd({ storedVersions: ["v1"], managedFieldsCount })).brokenApplies).toMatchObject({ versions: ["v1alpha1"] });
  expect(stateOf(sampleCrd({ managedFieldsCount })).brokenApplies).toBeUndefined();
  expect(stateOf(provenCrd({ managedFieldsCount }), { total: null, conversionFailure: "no" }).brokenApplies).toBeUndefined();
});

describe("shows the worst of several findings", () => {
  test("deletion before everything", () => {
    expect(stateOf(sampleCrd({ deletionTimestamp: "2026-01-02T11:00:00Z", storedVersions: [] })).state).toBe("unknown");
  });

  test("stored versions that can't be trusted before a live run", () => {
    const record = sampleRecord({ runs: [sampleRun()] });
    expect(stateOf(sampleCrd({ storedVersions: [], record })).state).toBe("blocked");
  });

  test("a live run before the proof of an earlier one", () => {
    const crd = provenCrd();
    const record = sampleRecord({ proof: sampleProof(crd), runs: [sampleRun()] });
    expect(stateOf({ ...crd, record }).state).toBe("rewriting");
  });

  test("a conversion failure before a proof: the prune can wait, the objects can't be read", () => {
    expect(stateOf(provenCrd(), { total: null, conversionFailure: "no" }).state).toBe("blocked");
  });

  test("losses that hold a rewrite back before rejections", () => {
    const run = sampleRun({ phase: "unproven", heldBackBecause: "It rewrote nothing: spec.a would be dropped in 3 objects." });
    expect(stateOf(sampleCrd({ record: sampleRecord({ runs: [run] }) }))).toEqual({
      state: "blocked",
      reason: "The last rewrite was held back. It rewrote nothing: spec.a would be dropped in 3 objects.",
    });
  });

  test("a proof before rejections of an earlier run", () => {
    const crd = provenCrd();
    const runs = [sampleRun({ phase: "succeeded" }), { ...blockedRun, id: "earlier" }];
    expect(stateOf({ ...crd, record: sampleRecord({ proof: sampleProof(crd), runs }) }).state).toBe("prunable");
  });

  test("unserved storage before a conversion failure and before rejections", () => {
    const crd = sampleCrd({ versions: unservedStorage, record: sampleRecord({ runs: [blockedRun] }) });
    expect(stateOf(crd, { total: null, conversionFailure: "no" }).reason).toContain("not served");
  });
});
