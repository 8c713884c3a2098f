import { expect, test } from "vitest";
import { time } from "./time.ts";

test.each([
  ["Date's toISOString", new Date(0).toISOString()],
  ["the API server's seconds", "2026-01-02T12:00:00Z"],
  ["its microseconds", "2026-01-02T12:00:00.123456Z"],
  ["an offset", "2026-01-02T12:00:00+05:30"],
  ["a leap day", "2028-02-29T00:00:00Z"],
])("%s is a time, and Date reads it: %s", (_, text) => {
  expect(time.safeParse(text).success).toBe(true);
  expect(Date.parse(text)).not.toBeNaN();
});

test.each(["garbage", "", "1", "2026-01-02", "2026-01-02T12:00:00", "2026-02-30T00:00:00Z", "10000-01-01T22:59:59.000000Z"])(
  "%j is none",
  (text) => {
    expect(time.safeParse(text).success).toBe(false);
  },
);
