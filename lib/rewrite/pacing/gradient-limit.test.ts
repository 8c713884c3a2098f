import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AdaptiveLimit } from "./adaptive-limit.ts";
import { createGradientLimit } from "./gradient-limit.ts";

/** Answers after this long, as many under way as may be. */
function answers(limit: AdaptiveLimit, count: number, latencyMs: (underWay: number) => number): void {
  for (let index = 0; index < count; index++) limit.answered(latencyMs(limit.current()), limit.current());
}

test("starts low and grows to its maximum while latency holds", () => {
  const limit = createGradientLimit();
  expect(limit.current()).toBe(4);
  answers(limit, 10, () => 5);
  expect(limit.current()).toBeGreaterThan(4);
  expect(limit.current()).toBeLessThan(24);
  answers(limit, 200, () => 5);
  expect(limit.current()).toBe(24);
});

test("shrinks when latency rises, and grows again when it falls", () => {
  const limit = createGradientLimit();
  answers(limit, 300, () => 5);
  answers(limit, 40, () => 50);
  const slow = limit.current();
  expect(slow).toBeLessThan(14);
  expect(slow).toBeGreaterThanOrEqual(1);
  answers(limit, 300, () => 5);
  expect(limit.current()).toBe(24);
});

test("learns nothing about higher limits from answers while few requests are open", () => {
  const limit = createGradientLimit();
  for (let index = 0; index < 500; index++) limit.answered(5, 1);
  expect(limit.current()).toBe(4);
});

describe("an overload", () => {
  test("halves it at most once a second for any number of requests, and never below one", () => {
    const limit = createGradientLimit();
    answers(limit, 300, () => 5);
    for (let request = 0; request < 24; request++) limit.overloaded(10_000 + request);
    expect(limit.current()).toBe(12);
    limit.overloaded(11_000);
    expect(limit.current()).toBe(6);
    for (let second = 12; second < 100; second++) limit.overloaded(second * 1_000);
    expect(limit.current()).toBe(1);
  });

  test("halves it even at the very start of the clock", () => {
    const limit = createGradientLimit();
    limit.overloaded(0);
    expect(limit.current()).toBe(2);
  });

  test("does not last: the limit grows again afterwards", () => {
    const limit = createGradientLimit();
    for (let second = 0; second < 20; second++) limit.overloaded(second * 1_000);
    answers(limit, 300, () => 5);
    expect(limit.current()).toBe(24);
  });
});

test("is always a whole number from 1 to 24", () => {
  const latency = fc.oneof(fc.constantFrom(0, 0.01, 1, 1e6), fc.double({ min: 0, max: 60_000, noNaN: true }));
  const event = fc.oneof(
    fc.record({ kind: fc.constant("answered" as const), latency, underWay: fc.integer({ min: 1, max: 24 }) }),
    fc.record({ kind: fc.constant("overloaded" as const), at: fc.nat(1_000_000) }),
  );
  fc.assert(
    fc.property(fc.array(event, { maxLength: 200 }), (events) => {
      const limit = createGradientLimit();
      for (const one of events) {
        if (one.kind === "answered") limit.answered(one.latency, one.underWay);
        else limit.overloaded(one.at);
        expect(Number.isInteger(limit.current())).toBe(true);
        expect(limit.current()).toBeGreaterThanOrEqual(1);
        expect(limit.current()).toBeLessThanOrEqual(24);
      }
    }),
  );
});
