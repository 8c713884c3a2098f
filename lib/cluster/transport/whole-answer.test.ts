import fc from "fast-check";
import { expect, test } from "vitest";
import { nextLimit } from "./whole-answer.ts";

const MIB = 1024 * 1024;

function limitsFor(first: number, bytesEach: number, pages: number): number[] {
  const limits = [first];
  for (let limit = first; limits.length < pages; limits.push(limit)) limit = nextLimit(limit, { items: limit, bytes: bytesEach * limit });
  return limits;
}

test("small items are read 500 at a time after a few pages", () => {
  expect(limitsFor(4, 2_700, 6)).toEqual([4, 16, 64, 256, 500, 500]);
  expect(limitsFor(50, 700, 4)).toEqual([50, 200, 500, 500]);
});

test("large items are read a few at a time", () => {
  expect(limitsFor(50, 240 * 1024, 3)).toEqual([50, 17, 17]);
  expect(nextLimit(4, { items: 4, bytes: 8 * MIB })).toBe(2);
  expect(nextLimit(1, { items: 1, bytes: 10 * MIB })).toBe(1);
});

test("an empty page does not shrink the next one", () => {
  expect(nextLimit(50, { items: 0, bytes: 200 })).toBe(50);
});

test("a limit is from 1 to 500", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), fc.nat({ max: 500 }), fc.integer({ min: 1, max: 100 * MIB }), (limit, items, bytes) => {
      const next = nextLimit(limit, { items, bytes });
      expect(next).toBeGreaterThanOrEqual(1);
      expect(next).toBeLessThanOrEqual(500);
    }),
  );
});
