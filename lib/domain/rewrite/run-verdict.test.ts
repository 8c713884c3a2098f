import { expect, it } from "vitest";
import { sampleRun } from "#lib/domain/testing/sample-crd.ts";
import { type Delegation, isLive, type Run, type RunPhase, runPhases } from "./run.ts";
import { canResume, runVerdict } from "./run-verdict.ts";

const counts = { total: 10, rewritten: 4, alreadyCurrent: 1, gone: 1, rejected: 0, remaining: 4 };
const untouched = { ...counts, rewritten: 0, alreadyCurrent: 0, gone: 0, remaining: 10 };

const delegation: Delegation = {
  ...{ migration: "crdshift-run-1-2", phase: null, message: "", left: null, startedAt: null, endedAt: null },
  ...{ storedVersionsBefore: ["v1beta1", "v1"], putBack: [] },
};

const verdict = (phase: RunPhase, more: Partial<Run> = {}) =>
  runVerdict(sampleRun({ phase, settledAt: "2026-01-01T00:00:00Z", counts, ...more }));
const sentence = (phase: RunPhase, more: Partial<Run> = {}) => verdict(phase, more)?.sentence;

it("exists for ended runs only", () => {
  for (const phase of runPhases) expect(verdict(phase) === null, phase).toBe(isLive({ phase }));
});

it("says what was stored by the proof, not by what the run did: objects may have been deleted since", () => {
  expect(sentence("succeeded", { provenObjects: 6 })).toBe("All 6 objects were stored as v1 when it ended.");
  expect(sentence("succeeded", { provenObjects: 1 })).toBe("The one object was stored as v1 when it ended.");
  expect(sentence("succeeded", { provenObjects: 0 })).toBe("No object was stored as anything but v1 when it ended.");
  expect(sentence("succeeded", { provenObjects: null })).toBe("All objects were stored as v1 when it ended.");
});

it("says held back, not rejected, and why", () => {
  const heldBackBecause = "spec.old would be dropped in 3 objects";
  expect(verdict("unproven", { heldBackBecause, counts: untouched })).toEqual({
    ...{ kind: "held-back", sentence: "Held back before anything was rewritten.", because: heldBackBecause },
  });
  expect(sentence("unproven", { heldBackBecause })).toBe("Held back before anything more was rewritten.");
});

// Without hasOtherEngineBegun (run-verdict.ts) "before anything was rewritten" stands beside objects that are all rewritten.
it("doesn't say what a delegated run that was held back rewrote, once the cluster's own engine has begun", () => {
  const heldBack = (phase: Delegation["phase"]) =>
    sentence("unproven", { heldBackBecause: "because", counts: untouched, delegation: { ...delegation, phase } });
  for (const phase of [null, "pending"] as const) expect(heldBack(phase)).toBe("Held back before anything was rewritten.");
  for (const phase of ["running", "succeeded", "failed"] as const) {
    expect(heldBack(phase)).toBe("Held back. crdshift can't tell what the cluster's own engine rewrote.");
  }
});

it("tells a run that ended as interrupted from one that stopped responding", () => {
  expect(sentence("interrupted", { endedAt: "2026-01-01T00:01:00Z" })).toBe(
    "Interrupted with 4 remaining. Resume continues where it stopped.",
  );
  expect(sentence("interrupted")).toContain("stopped responding");
});

// Without canResume (run-verdict.ts) the page of an older run says that it can be resumed.
it("says of an interrupted run that isn't the newest that a newer one has been started", () => {
  const older = sampleRun({ phase: "interrupted", endedAt: "2026-01-01T00:01:00Z", counts });
  expect([canResume(older, older.id), canResume(older, "run-2"), canResume(older, null)]).toEqual([true, false, false]);
  expect(runVerdict(older, "run-2")?.sentence).toBe(
    "Interrupted with 4 remaining. A newer rewrite was started, so this one can't be resumed.",
  );
  expect(runVerdict(older, null)?.sentence).toBe("Interrupted with 4 remaining.");
});

it("reports no proof when objects were rejected", () => {
  const one = { counts: { ...counts, rejected: 1 } };
  expect(sentence("unproven", one)).toBe("1 object could not be rewritten, so there is no proof.");
});

it("says that a cancelled run's objects stay rewritten only if there are any", () => {
  expect(sentence("cancelled")).toBe("Cancelled with 4 remaining. Rewritten objects stay rewritten; a new rewrite skips them.");
  expect(sentence("cancelled", { counts: untouched })).toBe("Cancelled before any object was rewritten.");
  expect(sentence("cancelled", { counts: untouched, rewrittenAtLeast: true })).toBe(
    "Cancelled with 10 remaining. crdshift can't tell whether any object was rewritten.",
  );
});

it("tells what a cancelled or held-back run may have lost, and does not repeat how it ended", () => {
  const lost = "Up to 5 objects may have lost fields.";
  expect(verdict("cancelled", { statusReason: `Cancelled. ${lost}` })).toMatchObject({ because: lost });
  expect(verdict("cancelled", { statusReason: "Cancelled." })).toMatchObject({ because: null });
  const heldBack = { heldBackBecause: "Something mutates.", statusReason: `Something mutates. ${lost}` };
  expect(verdict("unproven", heldBack)).toMatchObject({ because: `Something mutates. ${lost}` });
});

it("makes no claim about what another engine rewrote before the run was cancelled", () => {
  const delegation = {
    ...{ migration: "crdshift-x", phase: "running" as const, message: "", left: null, startedAt: null, endedAt: null },
    ...{ storedVersionsBefore: ["v1beta1", "v1"], putBack: [] },
  };
  expect(sentence("cancelled", { delegation, engine: "in-tree", counts: untouched })).toBe(
    "Cancelled with 10 remaining. crdshift can't tell what the cluster's own engine rewrote.",
  );
});
