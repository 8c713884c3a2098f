import { expect, test } from "vitest";
import { beginAttempt } from "./sign-in.ts";

const start = 1_000_000;
const refusal = expect.objectContaining({ code: "too_many_requests" });

test("twenty that fail within a minute are the last, until the oldest of them is a minute ago", () => {
  for (let failed = 0; failed < 20; failed += 1) beginAttempt(start + failed * 1_000);
  expect(() => beginAttempt(start + 20_000)).toThrow(expect.objectContaining({ nextStep: "Wait 40 s, then try again." }));
  expect(() => beginAttempt(start + 59_999)).toThrow(refusal);
  beginAttempt(start + 60_000);
});

test("those at work count too, so that many at once are no way around; those that succeed do not", () => {
  const later = start + 10 * 60_000;
  const begun = Array.from({ length: 20 }, () => beginAttempt(later));
  expect(() => beginAttempt(later)).toThrow(refusal);
  for (const attempt of begun) attempt.takeBack();
  for (let succeeded = 0; succeeded < 100; succeeded += 1) beginAttempt(later).takeBack();
});
