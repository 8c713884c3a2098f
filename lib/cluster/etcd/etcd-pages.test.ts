import fc from "fast-check";
import { expect, test } from "vitest";
import { FIRST_LIMIT, nextLimit, smallerLimit } from "./etcd-pages.ts";

const MIB = 1024 * 1024;

test("small values are read 500 at a time, after a careful beginning", () => {
  const limits = [FIRST_LIMIT];
  for (let page = 0; page < 5; page++)
    limits.push(nextLimit(limits.at(-1) ?? 0, { keys: limits.at(-1) ?? 0, bytes: 2_700 * (limits.at(-1) ?? 0) }));
  expect(limits).toEqual([4, 16, 64, 256, 500, 500]);
});

test("values of 1.5 MB, 2 MB in base64, are read two at a time", () => {
  expect(nextLimit(4, { keys: 4, bytes: 8 * MIB })).toBe(2);
  expect(nextLimit(1, { keys: 1, bytes: 10 * MIB })).toBe(1);
});

test("a limit is from 1 to 500, and a smaller one is smaller until it is 1", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), fc.nat({ max: 500 }), fc.integer({ min: 1, max: 100 * MIB }), (limit, keys, bytes) => {
      const next = nextLimit(limit, { keys, bytes });
      expect(next).toBeGreaterThanOrEqual(1);
      expect(next).toBeLessThanOrEqual(500);
      expect(smallerLimit(limit)).toBeLessThan(Math.max(limit, 2));
    }),
  );
});
