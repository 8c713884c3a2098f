import { afterEach, beforeEach, expect, it, vi } from "vitest";

beforeEach(() => {
  // Each page has its own module state.
  vi.resetModules();
  vi.useFakeTimers({ now: 1_000_000 });
});
afterEach(() => void vi.useRealTimers());

// Measured from recordNoAnswer instead, it would be lost since 1_014_000.
it("contact counts as lost from the last answer on, not from the first failure, until the next answer", async () => {
  const { recordAnswer, recordNoAnswer, serverContact } = await import("./server-contact.ts");
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
