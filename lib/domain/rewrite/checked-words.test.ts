import { expect, test } from "vitest";
import { checkedWords, rejectionWords } from "./checked-words.ts";

const dryRun = { total: 1_200, checked: 1_200, onlyRead: 0, alreadyCurrent: 0, wouldBeRejected: 0 };

test("objects were tried, or checked if some were only read", () => {
  expect(checkedWords(dryRun)).toBe("1,200 of 1,200 objects tried");
  expect(checkedWords({ ...dryRun, onlyRead: 1 })).toBe("1,200 of 1,200 objects checked");
  expect(checkedWords({ ...dryRun, total: 1, checked: 1 })).toBe("1 of 1 object tried");
});

test("nothing is said about rejections of what was only read", () => {
  expect(rejectionWords(dryRun)).toBe("none would be rejected");
  expect(rejectionWords({ ...dryRun, onlyRead: 1_200 })).toBe("no write was tried");
  expect(rejectionWords({ ...dryRun, onlyRead: 1_190 })).toBe("none of the 10 tried would be rejected");
  expect(rejectionWords({ ...dryRun, onlyRead: 1_190, wouldBeRejected: 2 })).toBe("2 would be rejected");
  expect(rejectionWords({ ...dryRun, checked: 0, alreadyCurrent: 1_200 })).toBe("nothing had to be patched");
});

// Without untriedWords (sample-of.ts) a sample that missed every stale object tells that there was nothing to patch.
test("a sample without any object that a rewrite would patch tells nothing of them", () => {
  expect(rejectionWords({ ...dryRun, checked: 0, alreadyCurrent: 1_197 })).toBe(
    "none of the 3 objects that a rewrite would patch was tried",
  );
  expect(rejectionWords({ ...dryRun, checked: 0, alreadyCurrent: 1_199 })).toBe("the 1 object that a rewrite would patch wasn't tried");
});
