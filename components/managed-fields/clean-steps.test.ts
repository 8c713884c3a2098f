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
  takenBack: 0,
  untouched: 8,
  gone: 0,
  rejected: 0,
  rejections: [],
  warning: null,
  examples: [],
};

it("shows the preview's progress", () =>
  expect(cleaningText({ cleaning, dryRun: true, at: "work" })).toBe("Previewing: 20 of 40 checked, 12 to clean."));
it("says that a stopped preview changed nothing, and that finished work stays", () => {
  expect(cleaningText({ cleaning, dryRun: true, at: "stopped" })).toBe("Stopped after 20 of 40. Nothing changed.");
  expect(cleaningText({ cleaning, dryRun: false, at: "stopped" })).toBe("Stopped after 20 of 40. 12 objects cleaned; those changes stay.");
});
it("includes rejected objects in the outcome", () => {
  const end = { ...cleaning, complete: true, scanned: 40 };
  expect(cleaningText({ cleaning: end, dryRun: true, at: "end" })).toBe("12 of 40 objects would change.");
  expect(cleaningText({ cleaning: { ...end, rejected: 1, gone: 2 }, dryRun: false, at: "end" })).toBe(
    "12 of 40 objects cleaned; 1 was rejected, 2 deleted meanwhile.",
  );
  expect(cleaningText({ cleaning: { ...end, cleaned: 0 }, dryRun: true, at: "end" })).toBe("Nothing to clean in 40 objects.");
});

// Without takenBack (clean-steps.tsx) it said "Nothing to clean", then wrote these objects, or offered no button to do so.
it("counts objects that only lose crdshift's own entry", () => {
  const end = { ...cleaning, complete: true, scanned: 40, cleaned: 0, takenBack: 3 };
  expect(cleaningText({ cleaning: end, dryRun: true, at: "work" })).toBe("Previewing: 40 of 40 checked, 3 to clean.");
  expect(cleaningText({ cleaning: end, dryRun: true, at: "end" })).toBe(
    "3 of 40 objects would change; 3 would lose only crdshift's own entry.",
  );
  expect(cleaningText({ cleaning: { ...end, cleaned: 12 }, dryRun: false, at: "end" })).toBe(
    "15 of 40 objects cleaned; 3 lost only crdshift's own entry.",
  );
});
