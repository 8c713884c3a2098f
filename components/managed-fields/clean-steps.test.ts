import { expect, it } from "vitest";
import type { Cleaning } from "#lib/contract/objects/managed-fields.ts";
import { cleaningText } from "./clean-steps.tsx";

const cleaning: Cleaning = {
  complete: false,
  dryRun: true,
  version: "v1",
  total: 40,
  scanned: 20,
  cleaned: 12,
  untouched: 8,
  gone: 0,
  rejected: 0,
  rejections: [],
  examples: [],
};

it("says how far looking is", () =>
  expect(cleaningText({ cleaning, dryRun: true, at: "work" })).toBe("Looking at what would change: 20 of 40 looked at, 12 to carry over."));
it("says that a stopped look changed nothing, and that what was done stays", () => {
  expect(cleaningText({ cleaning, dryRun: true, at: "stopped" })).toBe("Stopped after 20 of 40. Nothing has been changed.");
  expect(cleaningText({ cleaning, dryRun: false, at: "stopped" })).toBe("Stopped after 20 of 40. 12 objects carried over; that stays.");
});
it("tells the end with what was rejected", () => {
  const end = { ...cleaning, complete: true, scanned: 40 };
  expect(cleaningText({ cleaning: end, dryRun: true, at: "end" })).toBe("12 of 40 objects would change.");
  expect(cleaningText({ cleaning: { ...end, rejected: 1, gone: 2 }, dryRun: false, at: "end" })).toBe(
    "12 of 40 objects are carried over; 1 was rejected, 2 gone meanwhile.",
  );
  expect(cleaningText({ cleaning: { ...end, cleaned: 0 }, dryRun: true, at: "end" })).toMatch(/^None of the 40 objects/);
});
