import { expect, test } from "vitest";
import { clockTime } from "#lib/domain/wording/clock-time.ts";

const now = Date.parse("2026-01-02T00:10:00Z");

test.each([
  ["2026-01-02T00:05:59.999Z", "00:05 UTC"],
  ["2026-01-02T01:05:00+01:00", "00:05 UTC"],
  ["2026-01-01T23:59:00Z", "2026-01-01 23:59 UTC"],
  ["some time ago", "some time ago"],
])("%s is %s", (at, words) => {
  expect(clockTime(at, now)).toBe(words);
});
