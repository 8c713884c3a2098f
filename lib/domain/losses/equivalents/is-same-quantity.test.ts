import { expect, test } from "vitest";
import { isSameQuantity } from "./is-same-quantity.ts";

test.each([
  ["1000m", "1"],
  ["0.5", "500m"],
  ["1Gi", "1024Mi"],
  ["1.5Gi", "1536Mi"],
  ["1Gi", "1073741824"],
  ["1k", "1e3"],
  ["1M", "1000k"],
  ["1E", "1000P"],
  ["1n", "1e-9"],
  ["1000000u", "1"],
  ["-1000m", "-1"],
  ["+1000m", "1"],
  ["1.0Gi", "1Gi"],
  ["1.Gi", "1Gi"],
  [".5Gi", "512Mi"],
  ["0", "0Gi"],
  ["9223372036854775808k", "9223372036854775808000"],
])("%s and %s are the same quantity", (one, other) => {
  expect(isSameQuantity(one, other)).toBe(true);
  expect(isSameQuantity(other, one)).toBe(true);
});

test.each([
  ["1Gi", "1G"],
  ["1000m", "1.0000000000000000001"],
  ["9007199254740993k", "9007199254740992000"],
  ["1m", "1M"],
  ["-1k", "1000"],
  ["0.1n", "1n"],
])("%s and %s are not", (one, other) => {
  expect(isSameQuantity(one, other)).toBe(false);
  expect(isSameQuantity(other, one)).toBe(false);
});

test.each([
  ["1e3", "1000"],
  ["1.10", "1.1"],
  ["1.0", "1"],
  ["007", "7"],
  ["+1", "1"],
  ["1E3", "1e3"],
])("%s and %s may be versions, names or hashes: without a unit they are not the same", (one, other) => {
  expect(isSameQuantity(one, other)).toBe(false);
});

test.each(["1K", "1ki", "Gi", "", ".", "1 Gi", "1Gi ", "1e", "1e1.5", "1e9999k", "0x10", "1_000", "1constructor", `${"9".repeat(100)}k`])(
  "%j is no quantity",
  (text) => {
    for (const other of ["1", "1k", "0k", "1024k", "16", text]) expect(isSameQuantity(text, other)).toBe(false);
  },
);

test("an exponent that no number has is no quantity, and takes no time", () => {
  for (const text of ["1e999999999", "1e-999999999", "1E1000"]) expect(isSameQuantity(text, "1k")).toBe(false);
});
