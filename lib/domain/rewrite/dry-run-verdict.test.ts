import { expect, it } from "vitest";
import type { DryRun } from "#lib/domain/losses/dry-run.ts";
import type { Loss } from "#lib/domain/losses/losses.ts";
import { dryRunVerdict } from "./dry-run-verdict.ts";

const at = "2026-01-01T00:00:00Z";
const dropped: Loss = { kind: "dropped", path: "spec.old", objects: 4, examples: [] };
const defaulted: Loss = { kind: "defaulted", path: "spec.mode", objects: 9, examples: [] };

function ended(more: Partial<DryRun>, counts: Partial<DryRun["dryRun"]> = {}): DryRun {
  return {
    id: "p",
    crd: "crontabs.stable.example.com",
    uid: "u",
    generation: 1,
    storageVersion: "v1",
    phase: "succeeded",
    startedBy: "ada",
    startedAt: at,
    endedAt: at,
    sampleSize: 10_000,
    resourceVersion: null,
    checks: [],
    dryRun: {
      total: 10,
      planned: 10,
      alreadyCurrent: 0,
      checked: 10,
      onlyRead: 0,
      wouldPass: 10,
      wouldBeRejected: 0,
      gone: 0,
      cannotDryRun: 0,
      rejections: [],
      cannot: [],
      generationRises: 0,
      ...counts,
    },
    losses: [],
    moreLosses: 0,
    lossesKnown: true,
    lossesUnknownBecause: null,
    unknownMayPass: false,
    message: null,
    ...more,
  };
}

it("is null while the dry run is running", () => expect(dryRunVerdict(ended({ phase: "running" }))).toBeNull());
it("is good only if all objects would pass and lose nothing", () =>
  expect(dryRunVerdict(ended({}))).toEqual({ kind: "clear", sentences: ["All 10 objects tried would pass, and nothing would be lost."] }));
it("counts no object among those that would pass that was deleted meanwhile", () => {
  expect(dryRunVerdict(ended({}, { wouldPass: 7, gone: 3 }))?.sentences).toEqual([
    "All 7 objects tried would pass, and nothing would be lost.",
    "3 objects were deleted meanwhile.",
  ]);
  const read = { total: 1_000, checked: 1_000, onlyRead: 900, wouldPass: 97, gone: 3 };
  expect(dryRunVerdict(ended({}, read))?.sentences[0]).toBe("A rewrite of the 997 objects checked would lose nothing.");
  expect(dryRunVerdict(ended({}, { total: 1, checked: 1, wouldPass: 0, gone: 1 }))?.sentences).toEqual([
    "A rewrite would have nothing to patch.",
  ]);
});
it("mentions an added default without a warning", () =>
  expect(dryRunVerdict(ended({ losses: [defaulted] }))).toEqual({
    kind: "clear",
    sentences: ["All 10 objects tried would pass, and nothing would be lost.", "spec.mode would be added in 9 objects."],
  }));
it("never reports unknown losses as none", () =>
  expect(dryRunVerdict(ended({ lossesKnown: false }))).toEqual({
    kind: "doubtful",
    sentences: ["What a rewrite would lose is unknown."],
  }));
it("lists rejections before losses", () =>
  expect(dryRunVerdict(ended({ losses: [dropped] }, { wouldPass: 8, wouldBeRejected: 2 }))).toEqual({
    kind: "obstructed",
    sentences: ["2 of 10 objects tried would be rejected.", "spec.old would be dropped in 4 objects."],
  }));
it("does not count objects that can't be dry-run as passed", () =>
  expect(dryRunVerdict(ended({}, { wouldPass: 7, cannotDryRun: 3 }))?.kind).toBe("doubtful"));
it("is good if there is nothing to patch", () =>
  expect(dryRunVerdict(ended({}, { alreadyCurrent: 10, checked: 0, wouldPass: 0 }))?.sentences).toEqual([
    "A rewrite would have nothing to patch.",
  ]));
// Without sampleOf (dry-run-verdict.ts) losses in a sample are told as those of all objects.
it("tells losses in a sample as the least there are", () => {
  const sampled = { total: 100, alreadyCurrent: 20, checked: 5, wouldPass: 5 };
  expect(dryRunVerdict(ended({ losses: [dropped, defaulted] }, sampled))?.sentences).toEqual([
    "spec.old would be dropped in at least 4 objects (5 of 80 checked).",
  ]);
  expect(dryRunVerdict(ended({ losses: [defaulted] }, sampled))?.sentences).toContain(
    "spec.mode would be added in at least 9 objects (5 of 80 checked).",
  );
});
// Without untriedWords (sample-of.ts) it is: a rewrite would have nothing to patch.
it("is in doubt if a sample missed every object that a rewrite would patch", () => {
  const untried = (left: number) => ({
    kind: "doubtful",
    sentences: [`The outcome is unknown: none of the ${left} objects that a rewrite would patch was tried.`],
  });
  expect(dryRunVerdict(ended({}, { alreadyCurrent: 7, checked: 0, wouldPass: 0 }))).toEqual(untried(3));
  expect(dryRunVerdict(ended({}, { checked: 2, wouldPass: 0, gone: 2 }))).toEqual(untried(8));
});
