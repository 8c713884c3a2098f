import { expect, test } from "vitest";
import { FINGERPRINT_LENGTH, fingerprint } from "./fingerprint.ts";

test("texts that differ in one character, anywhere, have different fingerprints of one length", () => {
  const long = "spec.template.".repeat(30);
  const texts = Array.from({ length: 100_000 }, (_, index) => `${long}${index}`);
  const prefixed = Array.from({ length: 100_000 }, (_, index) => `${index}${long}`);
  const all = [...texts, ...prefixed].map(fingerprint);
  expect(new Set(all).size).toBe(all.length);
  expect(new Set(all.map(({ length }) => length))).toEqual(new Set([FINGERPRINT_LENGTH]));
  expect(fingerprint("")).toHaveLength(FINGERPRINT_LENGTH);
});
