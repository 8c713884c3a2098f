import { expect, test } from "vitest";
import { isOwnFault, noTrouble, type PassingFailure } from "./object-trouble.ts";

const timeout: PassingFailure = { kind: "passing", isWait: true, reason: "Timeout", message: "no answer", afterMs: null, answer: null };
const others = { writtenAt: 1_000, convertedAt: 0 };

// Without `compared` the write of another object is always too long ago, and the object is compared and tried again without end.
test("a comparison that took longer than a success counts still shows that the failure is the object's own", () => {
  const trouble = { ...noTrouble(5), attempts: 5, firstFailureAt: 0, compared: { kind: "write" as const, at: 13_000 } };
  const isOwn = (sentAt: number) => isOwnFault(trouble, timeout, { since: 0, sentAt }, others);
  expect(isOwn(13_001)).toBe(true);
  // Sent before the comparison was over, or so long after it that an outage may have begun.
  expect([isOwn(12_999), isOwn(80_000)]).toEqual([false, false]);
  expect(isOwnFault({ ...trouble, compared: { kind: "conversion", at: 13_000 } }, timeout, { since: 0, sentAt: 13_001 }, others)).toBe(
    false,
  );
});
