import { expect, test } from "vitest";
import { stampText } from "./report-facts.tsx";

test.each([
  ["2026-01-02T12:00:00.123Z", "2026-01-02 12:00:00 UTC"],
  ["2026-01-02T12:00:00+02:00", "2026-01-02 10:00:00 UTC"],
  ["garbage", "garbage"],
  ["", ""],
  ["9999-12-31T23:59:59-23:00", "9999-12-31T23:59:59-23:00"],
])("%j shows as %j", (at, text) => {
  expect(stampText(at)).toBe(text);
});
