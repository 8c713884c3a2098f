import { describe, expect, test } from "vitest";
import type { DryRunRecord } from "#lib/domain/losses/dry-run-record.ts";
import type { Loss } from "#lib/domain/losses/losses.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import { sampleCrd, sampleDryRunRecord, sampleRun } from "#lib/domain/testing/sample-crd.ts";
import { type NextStep, nextStep, nextStepAfter, nextStepAfterRun, refusedRewrite, type StepFacts } from "./next-step.ts";

const allowed = { refusal: null };
const refused = { refusal: "Not yet." };
const dropped: Loss = { kind: "dropped", path: "spec.old", objects: 20, examples: [] };

const dryRun = (changes: Partial<DryRunRecord> = {}, invalidBecause: string | null = null) => ({
  ...sampleDryRunRecord(sampleCrd(), changes),
  invalidBecause,
});
const unproven = sampleRun({ phase: "unproven" });
const proven = sampleRun({ phase: "succeeded" });
const interrupted = sampleRun({ phase: "interrupted" });
const heldBack = sampleRun({ phase: "unproven", heldBackBecause: "Losses.", dryRun: "its-own" });

const all = { rewrite: allowed, resume: allowed, prune: allowed, restore: allowed, clean: allowed };

const next = (changes: Partial<StepFacts>) =>
  nextStep({
    ...{
      state: "needs-rewrite",
      activeRun: null,
      run: null,
      dryRun: null,
      missingStoredVersions: [],
      contradiction: null,
      brokenApplies: null,
    },
    ...{ actions: all, ...changes },
  });

describe("the next step on a definition", () => {
  test.each<[when: string, changes: Partial<StepFacts>, step: NextStep]>([
    ["no dry run was made", {}, { step: "dry-run" }],
    ["the dry run is of an earlier spec", { dryRun: dryRun({}, "The spec changed.") }, { step: "dry-run" }],
    ["a dry run found nothing in the way", { dryRun: dryRun() }, { step: "rewrite", verifyEveryObject: false }],
    // Without untriedWords (next-step.ts) it is to review losses, of which there are none. Another sample may miss them, too.
    [
      "a dry run missed every object that a rewrite would patch",
      { dryRun: dryRun({ checked: 0, alreadyCurrent: 97 }) },
      { step: "rewrite", verifyEveryObject: false },
    ],
    [
      "a dry run found losses",
      { dryRun: dryRun({ losses: [dropped], wouldBeRejected: 1 }) },
      { step: "review-losses", dryRun: "dry-run-1", canKeepOwnership: true },
    ],
    [
      "a dry run can't tell the losses",
      { dryRun: dryRun({ lossesKnown: false }) },
      { step: "review-losses", dryRun: "dry-run-1", canKeepOwnership: true },
    ],
    [
      "a dry run only adds defaults",
      { dryRun: dryRun({ losses: [{ ...dropped, kind: "defaulted" }] }) },
      { step: "rewrite", verifyEveryObject: false },
    ],
    ["a dry run found rejections", { dryRun: dryRun({ wouldBeRejected: 1 }) }, { step: "see-rejections", in: "dry-run", id: "dry-run-1" }],
    ["a rewrite is running, whatever the state says", { run: sampleRun(), state: "blocked" }, { step: "watch", run: "run-1" }],
    ["a rewrite was interrupted", { run: sampleRun({ phase: "interrupted" }) }, { step: "resume", run: "run-1" }],
    ["a rewrite is refused", { actions: { ...all, rewrite: refused } }, { step: "solve", refusal: "Not yet." }],
    // Without actions.resume (next-step.ts) nothing leads to the Resume button, which is the way out.
    ["only a new rewrite is refused", { run: interrupted, actions: { ...all, rewrite: refused } }, { step: "resume", run: "run-1" }],
    ["a resume is refused", { run: interrupted, actions: { ...all, resume: refused } }, { step: "solve", refusal: "Not yet." }],
    ["there is a proof", { state: "prunable" }, { step: "prune" }],
    ["a prune is refused", { state: "prunable", actions: { ...all, prune: refused } }, { step: "solve", refusal: "Not yet." }],
    ["stored versions are missing", { state: "blocked", missingStoredVersions: ["v1beta1"] }, { step: "repair" }],
    [
      "they can't be put back",
      { state: "blocked", missingStoredVersions: ["v1beta1"], actions: { ...all, restore: refused } },
      { step: "solve", refusal: "Not yet." },
    ],
    ["etcd contradicts the definition", { state: "blocked", contradiction: {} }, { step: "rewrite", verifyEveryObject: true }],
    [
      "losses held the last run back",
      { state: "blocked", run: heldBack },
      { step: "review-losses", dryRun: "its-own", canKeepOwnership: true },
    ],
    [
      "losses held the last run back, and a later dry run holds",
      { state: "blocked", run: heldBack, dryRun: dryRun({ losses: [dropped] }) },
      { step: "review-losses", dryRun: "dry-run-1", canKeepOwnership: true },
    ],
    ["the last run had rejected objects", { state: "blocked", run: unproven }, { step: "see-rejections", in: "run", id: "run-1" }],
    [
      "server-side apply is broken, whatever the last run says",
      { state: "blocked", run: unproven, brokenApplies: { versions: ["v1alpha1"] } },
      { step: "clean", versions: ["v1alpha1"], canPrune: true, canCarryOver: true },
    ],
    // Without canCarryOver the terminal names, for ever, a rewrite that leaves every entry as it is.
    [
      "a rewrite that kept ownership left entries that break server-side apply",
      {
        state: "blocked",
        run: sampleRun({ phase: "succeeded", ownership: { keep: true, kept: 0, lost: 0 } }),
        brokenApplies: { versions: ["v1alpha1"] },
        actions: { ...all, prune: refused },
      },
      { step: "clean", versions: ["v1alpha1"], canPrune: false, canCarryOver: false },
    ],
    [
      "managedFields can't be cleaned yet",
      {
        state: "blocked",
        brokenApplies: { versions: ["v1alpha1"] },
        actions: { ...all, clean: refused },
      },
      { step: "solve", refusal: "Not yet." },
    ],
    [
      "a cancelled rewrite left a doubt",
      { state: "blocked", run: sampleRun({ phase: "cancelled" }) },
      { step: "rewrite", verifyEveryObject: false },
    ],
    ["a person has to act elsewhere", { state: "blocked" }, { step: "none" }],
    ["nothing is left to do", { state: "current" }, { step: "none" }],
  ])("when %s", (_when, changes, step) => {
    expect(next(changes)).toEqual(step);
  });
});

// Told by the refusal alone, which may be the same for both, "Can't resume yet" stands where there is nothing to resume.
test("only an interrupted rewrite is what can't be resumed", () => {
  const actions = { ...all, rewrite: refused, resume: refused };
  const told = (run: Run | null) => refusedRewrite({ step: "solve", refusal: refused.refusal }, { run, actions });
  expect([null, proven, interrupted].map(told)).toEqual(["rewrite", "rewrite", "resume"]);
});

test("the cluster's own engine can't keep ownership", () => {
  expect(nextStepAfterRun({ ...heldBack, engine: "in-tree" }, [])).toMatchObject({ step: "review-losses", canKeepOwnership: false });
});

test("a proven run leads to a prune only if a version is left to prune", () => {
  expect(nextStepAfterRun(sampleRun({ phase: "succeeded" }), ["v1beta1"])).toEqual({ step: "prune" });
  expect(nextStepAfterRun(sampleRun({ phase: "succeeded" }), [])).toEqual({ step: "none" });
});

test.each(["cancelled", "failed"] as const)("a %s run is followed by one like it", (phase) => {
  expect(nextStepAfterRun(sampleRun({ phase, verify: "every-object" }), [])).toEqual({ step: "rewrite", verifyEveryObject: true });
});

// Without the definition's facts (nextStepAfter) the terminal names a command that is refused.
describe("the next step after a run, as the definition is now", () => {
  const failed = sampleRun({ phase: "failed" });
  const facts = { activeRun: null, dryRun: null, missingStoredVersions: [], contradiction: null, brokenApplies: null, actions: all };
  const solve = { step: "solve", refusal: "Not yet." };
  test.each<[when: string, run: Run, changes: Partial<StepFacts>, step: object]>([
    ["it may be repeated", failed, {}, { step: "rewrite", verifyEveryObject: false }],
    ["a rewrite is refused", failed, { actions: { ...all, rewrite: refused } }, solve],
    ["the cluster's own engine goes on", failed, { state: "rewriting", actions: { ...all, rewrite: refused } }, solve],
    ["nothing is left to rewrite", failed, { state: "current" }, { step: "none" }],
    ["an earlier proof holds", failed, { state: "prunable" }, { step: "prune" }],
    ["it is proven, and a prune is refused", proven, { state: "prunable", actions: { ...all, prune: refused } }, solve],
    ["its proof is void already", proven, {}, { step: "dry-run" }],
    ["it was interrupted", interrupted, {}, { step: "resume", run: "run-1" }],
    [
      "it was interrupted, and only a new one is refused",
      interrupted,
      { actions: { ...all, rewrite: refused } },
      { step: "resume", run: "run-1" },
    ],
    ["it was interrupted and a newer one has begun", interrupted, { run: { ...failed, id: "run-2" } }, { step: "none" }],
  ])("when %s", (_when, run, changes, step) => {
    expect(nextStepAfter(run, { state: "needs-rewrite", run, leftoverVersions: ["v1beta1"], ...facts, ...changes })).toEqual(step);
  });
});
