import { describe, expect, test } from "vitest";
import { clockTime, localTime, localTimes } from "./local-time.ts";

const now = Date.parse("2026-01-02T12:10:00Z");
const tokyo = "Asia/Tokyo";

test.each([
  ["today", "2026-01-02T12:05:59.999Z", "21:05"],
  ["today here, yesterday in UTC", "2026-01-01T16:00:00Z", "01:00"],
  ["yesterday here", "2026-01-01T14:59:00Z", "1 Jan 2026, 23:59"],
  ["no time", "some time ago", "some time ago"],
])("a time is local, with the date unless it is today: %s", (_, at, words) => {
  expect(localTime(at, now, tokyo)).toBe(words);
});

describe("a sentence with times in UTC", () => {
  test.each(["2026-01-02T12:05:00Z", "2026-01-01T14:59:00Z"])("shows %s in local time", (at) => {
    expect(localTimes(`Started at ${clockTime(at, now)} by bob.`, now, tokyo)).toBe(`Started at ${localTime(at, now, tokyo)} by bob.`);
  });

  test("written before midnight UTC and read after it is about the day before", () => {
    const after = Date.parse("2026-01-03T00:02:00Z");
    const told = clockTime("2026-01-02T23:58:00Z", Date.parse("2026-01-02T23:59:00Z"));
    expect(localTimes(told, after, "UTC")).toBe("2 Jan 2026, 23:58");
  });

  test("read by a clock that is a minute behind is about today", () => {
    expect(localTimes("12:11 UTC", now, "UTC")).toBe("12:11");
  });
});

test.each([
  ["2026-01-02T00:05:59.999Z", "00:05 UTC"],
  ["2026-01-02T01:05:00+01:00", "00:05 UTC"],
  ["2026-01-01T23:59:00Z", "2026-01-01 23:59 UTC"],
  ["some time ago", "some time ago"],
])("a time in a sentence is in UTC, with the date unless it is today: %s is %s", (at, words) => {
  expect(clockTime(at, Date.parse("2026-01-02T00:10:00Z"))).toBe(words);
});
