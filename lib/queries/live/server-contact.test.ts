import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { recordAnswer, recordNoAnswer, serverContact } from "./server-contact.ts";

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

// Measured from recordNoAnswer instead, it would be lost since 1_014_000.
it("is lost since the last answer, not since recordNoAnswer, until the next answer", () => {
  recordNoAnswer();
  expect(serverContact()).toEqual({ lostSince: 1_000_000, lastAnswerAt: null });
  recordAnswer(null);
  expect(serverContact()).toEqual({ lostSince: null, lastAnswerAt: 1_000_000 });
  vi.advanceTimersByTime(14_000);
  recordNoAnswer();
  vi.advanceTimersByTime(5_000);
  recordNoAnswer();
  expect(serverContact()).toEqual({ lostSince: 1_000_000, lastAnswerAt: 1_000_000 });
  vi.advanceTimersByTime(1_000);
  recordAnswer(null);
  expect(serverContact()).toEqual({ lostSince: null, lastAnswerAt: 1_020_000 });
});
