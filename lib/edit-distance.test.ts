import { expect, test } from "vitest";
import { editDistance } from "./edit-distance.ts";

test.each([
  ["crontabs", "crontabs", 0],
  ["crontab", "crontabs", 1],
  ["crontabs", "rontabs", 1],
  ["crontaps", "crontabs", 1],
  ["corntabs", "crontabs", 2],
  ["kitten", "sitting", 3],
  ["", "abc", 3],
  ["abc", "", 3],
  ["", "", 0],
])("from %j to %j it is %d, either way", (one, other, distance) => {
  expect(editDistance(one, other, 3)).toBe(distance);
  expect(editDistance(other, one, 3)).toBe(distance);
});

test("what is further than asked for is only known to be further", () => {
  expect(editDistance("kitten", "sitting", 2)).toBe(Number.POSITIVE_INFINITY);
  expect(editDistance("a", "abcd", 2)).toBe(Number.POSITIVE_INFINITY);
});
