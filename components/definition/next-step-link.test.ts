import { expect, test } from "vitest";
import { linkTo } from "./next-step-link.tsx";

test("losses are reviewed on the page of the dry run that found them", () => {
  const step = { step: "review-losses", canKeepOwnership: true } as const;
  expect(linkTo({ ...step, dryRun: "dry-run-1" })).toEqual({ label: "Review losses", to: "dry-run", id: "dry-run-1" });
  expect(linkTo({ ...step, dryRun: null })).toBeNull();
});

test("rejections are seen where they were found", () => {
  expect(linkTo({ step: "see-rejections", in: "run", id: "run-1" })).toEqual({ label: "View rejected objects", to: "run", id: "run-1" });
  expect(linkTo({ step: "see-rejections", in: "dry-run", id: "dry-run-1" })?.to).toBe("dry-run");
});
