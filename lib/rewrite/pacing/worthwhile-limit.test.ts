import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AdaptiveLimit } from "./adaptive-limit.ts";
import { type QueueingServer, sendThrough } from "./testing/queueing-server.ts";
import { createWorthwhileLimit } from "./worthwhile-limit.ts";

const REQUESTS = 10_000;

function atMost(limit: number): AdaptiveLimit {
  return { current: () => limit, answered() {}, overloaded() {}, restMs: () => 0 };
}

function besideTwentyFour(server: QueueingServer): { rate: number; latency: number } {
  const all = sendThrough(atMost(24), server, REQUESTS);
  const worthwhile = sendThrough(createWorthwhileLimit(), server, REQUESTS);
  return { rate: worthwhile.perSecond / all.perSecond, latency: worthwhile.meanMs / all.meanMs };
}

// Without WORTH it grows until nothing is gained any more, and each request waits for two dozen.
describe.each<[string, QueueingServer]>([
  ["two cores", { servers: 2, serviceMs: 3.3, delayMs: 0.6 }],
  ["one core", { servers: 1, serviceMs: 2, delayMs: 1 }],
  ["a slow webhook", { servers: 2, serviceMs: 30, delayMs: 5 }],
])("a server that %s limit", (_, server) => {
  test("gets nine tenths of what 24 at once bring, in half the time or less", () => {
    const { rate, latency } = besideTwentyFour(server);
    expect(rate).toBeGreaterThan(0.9);
    expect(latency).toBeLessThan(0.5);
  });
});

test("a server that nothing limits gets nearly as many as there may be", () => {
  const { rate } = besideTwentyFour({ servers: 64, serviceMs: 5, delayMs: 10 });
  expect(rate).toBeGreaterThan(0.85);
});

test("an overload halves it at most once a second, and never below one", () => {
  const limit = createWorthwhileLimit();
  for (let request = 0; request < 24; request += 1) limit.overloaded(10_000 + request);
  expect(limit.current()).toBe(2);
  limit.overloaded(11_000);
  limit.overloaded(12_000);
  expect(limit.current()).toBe(1);
});

test("after an overload it grows again", () => {
  const limit = createWorthwhileLimit();
  for (let second = 0; second < 20; second += 1) limit.overloaded(second * 1_000);
  sendThrough(limit, { servers: 64, serviceMs: 5, delayMs: 10 }, REQUESTS);
  expect(limit.current()).toBeGreaterThan(12);
});

test("is always a whole number from 1 to 24", () => {
  const latency = fc.oneof(fc.constantFrom(0, 0.01, 1, 1e6), fc.double({ min: 0, max: 60_000, noNaN: true }));
  const event = fc.oneof(
    fc.record({ kind: fc.constant("answered" as const), latency, times: fc.integer({ min: 1, max: 200 }) }),
    fc.record({ kind: fc.constant("overloaded" as const), at: fc.nat(1_000_000) }),
  );
  fc.assert(
    fc.property(fc.array(event, { maxLength: 100 }), (events) => {
      const limit = createWorthwhileLimit();
      for (const one of events) {
        if (one.kind === "overloaded") limit.overloaded(one.at);
        else for (let time = 0; time < one.times; time += 1) limit.answered(one.latency, limit.current());
        expect(Number.isInteger(limit.current())).toBe(true);
        expect(limit.current()).toBeGreaterThanOrEqual(1);
        expect(limit.current()).toBeLessThanOrEqual(24);
      }
    }),
  );
});
