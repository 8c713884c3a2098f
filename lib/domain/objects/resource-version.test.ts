import fc from "fast-check";
import { expect, test } from "vitest";
import { parseExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { compareResourceVersions, generationOf } from "./resource-version.ts";

test("compares as integers of any size, not as text and not as doubles", () => {
  const resourceVersion = fc.bigInt({ min: 0n, max: 2n ** 64n });
  fc.assert(
    fc.property(resourceVersion, fc.oneof(resourceVersion, fc.bigInt({ min: -2n, max: 2n })), (a, other) => {
      const b = other < 3n && other > -3n && a + other >= 0n ? a + other : other < 0n ? -other : other;
      expect(Math.sign(compareResourceVersions(String(a), String(b)))).toBe(a < b ? -1 : a > b ? 1 : 0);
    }),
  );
});

test.each([
  ["9", "10", -1],
  ["10", "9", 1],
  ["9007199254740993", "9007199254740992", 1],
  ["42", "42", 0],
])("%s against %s is %d", (a, b, sign) => {
  expect(Math.sign(compareResourceVersions(a, b))).toBe(sign);
});

test("the generation is a number, or none", () => {
  expect(generationOf(parseExactJson('{"metadata":{"generation":12}}'))).toBe(12);
  for (const text of ["{}", '{"metadata":{}}', '{"metadata":{"generation":"12"}}']) expect(generationOf(parseExactJson(text))).toBeNull();
});
