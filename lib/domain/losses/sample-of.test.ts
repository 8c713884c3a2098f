import { expect, test } from "vitest";
import { sampleOf } from "./sample-of.ts";

test.each([
  ["all were tried or read", { total: 10, checked: 10, alreadyCurrent: 0 }, null],
  ["the others are current", { total: 10, checked: 4, alreadyCurrent: 6 }, null],
  ["all were deleted meanwhile", { total: 2, checked: 2, alreadyCurrent: 0, gone: 2 }, null],
  ["there are none", { total: 0, checked: 0, alreadyCurrent: 0 }, null],
  ["they weren't counted", { total: null, checked: 0, alreadyCurrent: 0 }, null],
  ["some were left out", { total: 10, checked: 3, alreadyCurrent: 6 }, { checked: 3, total: 4 }],
  ["all were left out", { total: 10, checked: 0, alreadyCurrent: 6 }, { checked: 0, total: 4 }],
  ["some were left out, and some deleted meanwhile", { total: 10, checked: 5, alreadyCurrent: 0, gone: 2 }, { checked: 3, total: 8 }],
])("a dry run is a sample only if it left out what a rewrite would patch: %s", (_, seen, sample) => {
  expect(sampleOf(seen)).toEqual(sample);
});
