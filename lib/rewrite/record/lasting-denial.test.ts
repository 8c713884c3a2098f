import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { withAnswer } from "#lib/cluster/transport/cluster-answer.ts";
import { AppError } from "#lib/contract/app-error.ts";
import { lastingDenial } from "./lasting-denial.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const refused = (status: number) =>
  withAnswer(new AppError("forbidden", "You may not read it.", { nextStep: "" }), {
    ...{ status, reason: "", message: "", name: null, retryAfterMs: null, fields: [], inconsistentContinue: null },
  });

/** Whether a failure a second ends the run, and after how many. */
function endsAfter(seconds: number, statusAt: (second: number) => number | null): number | null {
  const denial = lastingDenial("The definition can't be read any more");
  for (let second = 0; second < seconds; second += 1) {
    const status = statusAt(second);
    try {
      if (status === null) denial.succeeded();
      else denial.failed(refused(status));
    } catch (error) {
      expect(error).toMatchObject({ phase: "interrupted", message: expect.stringContaining("Get the permission back") });
      return second;
    }
    vi.advanceTimersByTime(1_000);
  }
  return null;
}

test("a permission that is missing for two minutes interrupts a run", () => {
  expect(endsAfter(600, () => 403)).toBe(120);
});

test("neither an outage nor a denial that passes does", () => {
  expect(endsAfter(600, () => 503)).toBeNull();
  expect(endsAfter(600, (second) => (second % 100 === 99 ? null : 403))).toBeNull();
  expect(endsAfter(600, (second) => (second % 100 === 99 ? 503 : 403))).toBeNull();
});
