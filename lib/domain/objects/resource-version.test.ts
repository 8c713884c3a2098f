import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { compareResourceVersions, generationOf, mustBeRestored } from "./resource-version.ts";

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

describe("a cluster was restored", () => {
  const minuteAgo = { resourceVersion: "1000", at: Date.now() - 60_000 };
  test.each([
    ["if it is behind", "999", true],
    ["not if it is where it was", "1000", false],
    ["not after as many writes as it can make", "90000000", false],
    ["after more", "101000000", true],
    ["after what etcdutl raises resourceVersions by", "1000001000", true],
  ])("%s", (_, now, is) => {
    expect(mustBeRestored(now, minuteAgo)).toBe(is);
  });

  // Each watch that began again would pass for one of a restored etcd.
  test("not if resourceVersions are times", () => {
    const known = { resourceVersion: "1753647547040015001", at: Date.now() - 1_000 };
    expect(mustBeRestored("1753647548040015001", known)).toBe(false);
    expect(mustBeRestored("1753647546040015001", known)).toBe(true);
  });

  test("not if it had days for that", () => {
    expect(mustBeRestored("1000001000", { resourceVersion: "1000", at: Date.now() - 3 * 24 * 3_600_000 })).toBe(false);
  });
});
