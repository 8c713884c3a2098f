import { expect, test } from "vitest";
import { isSameDuration } from "./is-same-duration.ts";

test.each([
  ["90s", "1m30s"],
  ["1h", "60m"],
  ["10m", "10m0s"],
  ["1.5h", "1h30m0s"],
  [".5s", "500ms"],
  ["5.s", "5s"],
  ["1us", "1µs"],
  ["1μs", "1000ns"],
  ["-90s", "-1m30s"],
  ["+1s", "1s"],
  ["0", "0s"],
  ["0h", "-0s"],
  ["2562047h47m16.854775807s", "9223372036854775807ns"],
])("%s and %s are the same duration", (one, other) => {
  expect(isSameDuration(one, other)).toBe(true);
  expect(isSameDuration(other, one)).toBe(true);
});

test.each([
  ["90s", "1m31s"],
  ["1m", "1M"],
  ["1s", "-1s"],
  ["0.1ns", "0s"],
  ["1", "1s"],
  ["0", "0"],
  ["00", "0s"],
  ["", "0s"],
  ["1d", "24h"],
  ["1h 30m", "90m"],
  ["1h-30m", "30m"],
  ["s", "0s"],
  [".s", "0s"],
  ["1..5s", "1.5s"],
  ["1 s", "1s"],
  ["2562047h47m16.854775808s", "9223372036854775808ns"],
  [`${"0".repeat(200)}1s`, "1s"],
  ["1constructor", "1s"],
])("%s and %s are not", (one, other) => {
  expect(isSameDuration(one, other)).toBe(false);
  expect(isSameDuration(other, one)).toBe(false);
});
