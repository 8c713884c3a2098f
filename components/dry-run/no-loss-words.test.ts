import { expect, test } from "vitest";
import { NOTHING_CHECKED } from "#lib/domain/losses/dry-run.ts";
import { noLossWords } from "./no-loss-words.ts";

test("a dry run that found no loss says in how many objects", () => {
  expect(noLossWords({ ...NOTHING_CHECKED, total: 0 })).toBe("Nothing had to be tried, so nothing would be lost.");
  expect(noLossWords({ ...NOTHING_CHECKED, total: 2, checked: 2, gone: 2 })).toBe("Nothing had to be tried, so nothing would be lost.");
  expect(noLossWords({ ...NOTHING_CHECKED, total: 9, checked: 5, wouldPass: 5 })).toBe("None in the 5 objects that would pass.");
  expect(noLossWords({ ...NOTHING_CHECKED, total: 5, checked: 5, wouldPass: 1, onlyRead: 4 })).toBe(
    "None in the 5 objects that were read or would pass.",
  );
  expect(noLossWords({ ...NOTHING_CHECKED, total: 5, checked: 5, wouldBeRejected: 5 })).toBe(
    "Unknown: none of the objects tried would pass.",
  );
});

// Without untriedWords (sample-of.ts) nothing had to be tried, although objects are left out.
test("a sample without any object that a rewrite would patch says that what they lose is unknown", () => {
  const untried = "Unknown: none of the 3 objects that a rewrite would patch was tried.";
  expect(noLossWords({ ...NOTHING_CHECKED, total: 60, alreadyCurrent: 57 })).toBe(untried);
  expect(noLossWords({ ...NOTHING_CHECKED, total: 5, checked: 2, gone: 2 })).toBe(untried);
});
