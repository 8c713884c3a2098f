import { expect, test } from "vitest";
import { afterEnd, timeLeft } from "./ending-banner.tsx";

const until = "2026-01-01T12:00:00.000Z";
const end = Date.parse(until);

test.each([
  [300_001, null],
  [300_000, "in 5 min"],
  [240_000, "in 4 min"],
  [61_000, "in 1 min"],
  [59_999, "in less than a minute"],
  [-1, "in less than a minute"],
])("%i ms before its end a sign-in ends %s", (left, words) => {
  expect(timeLeft({ until }, end - left)).toBe(words);
});

test("one without an end is never said to end", () => {
  expect(timeLeft({ until: null }, end)).toBe(null);
});

test("only the end of the token interrupts a rewrite", () => {
  expect(afterEnd({ mode: "token", until, tokenUntil: until })).toContain("are interrupted then");
  expect(afterEnd({ mode: "token", until, tokenUntil: null })).toContain("go on");
  expect(afterEnd({ mode: "token", until, tokenUntil: "2026-01-01T13:00:00.000Z" })).toContain("go on");
  expect(afterEnd({ mode: "local", until, tokenUntil: null })).toContain("newest link");
});
