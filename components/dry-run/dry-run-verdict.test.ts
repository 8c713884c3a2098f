import { describe, expect, it } from "vitest";
import type { DryRun } from "#lib/contract/rewrite/dry-run.ts";
import type { Loss } from "#lib/domain/losses/losses.ts";
import { triedOf } from "./dry-run-progress.tsx";
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
    checks: [],
    dryRun: {
      total: 10,
      planned: 10,
      alreadyCurrent: 0,
      checked: 10,
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
    message: null,
    ...more,
  };
}

describe("dryRunVerdict", () => {
  it("is null while the dry run is running", () => expect(dryRunVerdict(ended({ phase: "running" }))).toBeNull());
  it("is good only if all objects would pass and lose nothing", () =>
    expect(dryRunVerdict(ended({}))).toEqual({ tone: "good", sentences: ["All 10 objects tried would pass, and nothing would be lost."] }));
  it("mentions an added default without a warning", () =>
    expect(dryRunVerdict(ended({ losses: [defaulted] }))).toEqual({
      tone: "good",
      sentences: ["All 10 objects tried would pass, and nothing would be lost.", "spec.mode would be added in 9 objects."],
    }));
  it("never reports unknown losses as none", () =>
    expect(dryRunVerdict(ended({ lossesKnown: false }))).toEqual({
      tone: "warning",
      sentences: ["What a rewrite would lose is unknown."],
    }));
  it("lists rejections before losses", () =>
    expect(dryRunVerdict(ended({ losses: [dropped] }, { wouldPass: 8, wouldBeRejected: 2 }))).toEqual({
      tone: "blocked",
      sentences: ["2 of 10 objects tried would be rejected.", "spec.old would be dropped in 4 objects."],
    }));
  it("does not count objects that can't be dry-run as passed", () =>
    expect(dryRunVerdict(ended({}, { wouldPass: 7, cannotDryRun: 3 }))?.tone).toBe("warning"));
  it("is good if there is nothing to patch", () =>
    expect(dryRunVerdict(ended({}, { checked: 0, wouldPass: 0 }))?.sentences).toEqual(["A rewrite would have nothing to patch."]));
});

describe("triedOf", () => {
  it("is null until the objects are counted", () => expect(triedOf({ total: null, planned: null, alreadyCurrent: 0 })).toBeNull());
  it("says if all objects are tried", () =>
    expect(triedOf({ total: 10, planned: 10, alreadyCurrent: 0 })).toBe("10 objects: all that a rewrite would patch."));
  it("says if a sample is tried", () =>
    expect(triedOf({ total: 25_000, planned: 10_000, alreadyCurrent: 5_000 })).toBe(
      "Random sample: 10,000 of 20,000 objects. The other 10,000 are not tried. 5,000 objects are already stored at the storage version.",
    ));
  it("has nothing to try if all objects are current", () =>
    expect(triedOf({ total: 1, planned: 0, alreadyCurrent: 1 })).toBe(
      "Nothing to try. 1 object is already stored at the storage version.",
    ));
});
