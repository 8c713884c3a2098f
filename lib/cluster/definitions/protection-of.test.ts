import { expect, test } from "vitest";
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

test("a pattern of many stars is not slow", () => {
  const startedAt = performance.now();
  expect(protectingPattern([`${"*a".repeat(500)}*b`], "a".repeat(250))).toBeNull();
  expect(performance.now() - startedAt).toBeLessThan(100);
});
