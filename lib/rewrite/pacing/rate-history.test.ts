import fc from "fast-check";
import { expect, test } from "vitest";
import { createRateHistory } from "./rate-history.ts";

/** A history with a clock that the test turns. */
function clocked() {
  let ms = 12_345;
  const history = createRateHistory(() => ms);
  return { ...history, wait: (by: number) => (ms += by), now: () => ms };
}

test("is empty before anything is counted, and leaves out the current second", () => {
  const { read, count, wait } = clocked();
  expect(read()).toEqual({ everySeconds: 1, perSecond: [] });
  wait(5_000);
  count();
  count();
  expect(read().perSecond).toEqual([]);
  wait(1_000);
  expect(read().perSecond).toEqual([2]);
});

test("shows idle time as zeros", () => {
  const { read, count, wait } = clocked();
  for (let index = 0; index < 10; index++) count();
  wait(3_000);
  count();
  wait(1_000);
  expect(read().perSecond).toEqual([10, 0, 0, 1]);
});

test("covers the whole of a long run, in fewer and longer steps", () => {
  const { read, count, wait } = clocked();
  for (let second = 0; second < 200; second++) {
    for (let index = 0; index < 4; index++) count();
    wait(1_000);
  }
  const { everySeconds, perSecond } = read();
  expect(everySeconds).toBe(4);
  expect(perSecond).toEqual(Array.from({ length: 50 }, () => 4));
});

test("continues after an idle time of days", () => {
  const { read, count, wait } = clocked();
  count();
  wait(3 * 24 * 3_600_000);
  const { everySeconds, perSecond } = read();
  expect(perSecond.length).toBeLessThan(60);
  expect(everySeconds * (perSecond.length + 1)).toBeGreaterThan(3 * 24 * 3_600 - everySeconds);
});

test("is never longer than sixty steps and the same as if counted in the longer steps from the start", () => {
  const step = fc.record({ wait: fc.oneof(fc.nat(3_000), fc.nat(100_000)), count: fc.nat(20) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { read, count, wait, now } = clocked();
      const at: number[] = [];
      for (const { wait: ms, count: objects } of steps) {
        wait(ms);
        for (let index = 0; index < objects; index++) {
          count();
          at.push(now());
        }
      }
      const { everySeconds, perSecond } = read();
      expect(perSecond.length).toBeLessThan(60);
      expect(Number.isInteger(Math.log2(everySeconds))).toBe(true);
      const slotOf = (time: number) => Math.floor((time - (at[0] ?? 0)) / (everySeconds * 1_000));
      perSecond.forEach((objects, slot) => {
        const counted = at.filter((time) => slotOf(time) === slot).length;
        expect(objects).toBeCloseTo(counted / everySeconds, 0.9);
        expect(Math.abs(objects - counted / everySeconds)).toBeLessThanOrEqual(0.05 + 1e-9);
      });
      if (at.length > 0) expect(perSecond).toHaveLength(slotOf(now()));
    }),
  );
});
