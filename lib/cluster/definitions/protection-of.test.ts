import { expect, test } from "vitest";
import { LONGEST_TURN, whileWatched } from "#lib/process-wide/testing/longest-turn.ts";
import { protectingPattern } from "./protection-of.ts";

test.each([
  ["crontabs.example.com", "crontabs.example.com"],
  ["*", "crontabs.example.com"],
  ["**", "crontabs.example.com"],
  ["*.example.com", "crontabs.example.com"],
  ["crontabs.*", "crontabs.example.com"],
  ["crontabs*.example.com", "crontabs.example.com"],
  ["*tabs*.com", "crontabs.example.com"],
  ["c*o*s.*.com", "crontabs.example.com"],
])("%s protects %s", (pattern, name) => {
  expect(protectingPattern([pattern], name)).toBe(pattern);
});

test.each([
  ["crontabs.example.co", "crontabs.example.com"],
  ["*.example.com", "crontabs.example.org"],
  ["*.example.com", "crontabs.example.com.evil.org"],
  ["*.example.com", "example.com"],
  ["crontabs.*", "mycrontabs.example.com"],
  // A part of the name counts once.
  ["crontabs.example*example.com", "crontabs.example.com"],
  ["*bb*b", "abb"],
  // Nothing of a regular expression means anything.
  ["crontabs.example.com", "crontabs-example-com"],
  [".*", "crontabs.example.com"],
  ["crontab[s].example.com", "crontabs.example.com"],
  // Names are lower case, and so are patterns.
  ["Crontabs.example.com", "crontabs.example.com"],
])("%s does not protect %s", (pattern, name) => {
  expect(protectingPattern([pattern], name)).toBeNull();
});

test("the first of several that match is the one that is named", () => {
  const patterns = ["issuers.cert-manager.io", "*.cert-manager.io", "*"];
  expect(protectingPattern(patterns, "certificates.cert-manager.io")).toBe("*.cert-manager.io");
  expect(protectingPattern([], "certificates.cert-manager.io")).toBeNull();
});

test("a pattern of many stars holds nobody up", async () => {
  const { longest, result } = await whileWatched(async () => protectingPattern([`${"*a".repeat(500)}*b`], "a".repeat(250)));
  expect(result).toBeNull();
  expect(longest).toBeLessThan(LONGEST_TURN);
});
