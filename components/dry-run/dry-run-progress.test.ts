import { describe, expect, it } from "vitest";
import { NOTHING_CHECKED } from "#lib/domain/losses/dry-run.ts";
import { triedOf, triedWords } from "./dry-run-progress.tsx";

describe("triedOf", () => {
  it("is null until the objects are counted", () => expect(triedOf({ total: null, planned: null, alreadyCurrent: 0 })).toBeNull());
  it("says if all objects are tried", () =>
    expect(triedOf({ total: 10, planned: 10, alreadyCurrent: 0 })).toBe("10 objects: all that a rewrite would patch."));
  it("says if a sample is tried", () =>
    expect(triedOf({ total: 25_000, planned: 10_000, alreadyCurrent: 5_000 })).toBe(
      "Random sample: 10,000 of 20,000 objects. The other 10,000 are not tried. 5,000 objects are already stored at the storage version.",
    ));
  it("says if the sample has none of them", () =>
    expect(triedOf({ total: 60, planned: 0, alreadyCurrent: 57 })).toBe(
      "Random sample: none of the 3 objects that a rewrite would patch. 57 objects are already stored at the storage version.",
    ));
  it("has nothing to try if all objects are current", () =>
    expect(triedOf({ total: 1, planned: 0, alreadyCurrent: 1 })).toBe(
      "Nothing to try. 1 object is already stored at the storage version.",
    ));
});

describe("an uncounted dry run", () => {
  it("is counting while it runs", () => expect(triedWords({ phase: "running", dryRun: NOTHING_CHECKED })).toBe("Counting the objects…"));
  it.each(["cancelled", "failed"] as const)("counts no more once it is %s", (phase) => {
    expect(triedWords({ phase, dryRun: NOTHING_CHECKED })).toBe("Ended before the objects were counted.");
  });
});
