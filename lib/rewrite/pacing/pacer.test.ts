import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { AdaptiveLimit } from "./adaptive-limit.ts";
import { createPacer, type Pacer, type Slot } from "./pacer.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const open = new AbortController().signal;
const turn = () => vi.advanceTimersByTimeAsync(0);

/** A limit that stays where the test puts it, and remembers what it was told. */
function fixedLimit(at: number) {
  const told: string[] = [];
  const limit: AdaptiveLimit = {
    restMs: () => 0,
    current: () => at,
    answered: (latencyMs, underWay) => void told.push(`answered ${latencyMs} ${underWay}`),
    overloaded: (now) => void told.push(`overloaded ${now}`),
  };
  return { limit, told, set: (next: number) => (at = next) };
}

/** Objects that want to be begun, with when each was. */
function objects(pacer: Pacer, count: number, signal = open) {
  const startedAt = performance.now();
  const begun: number[] = [];
  const slots: Slot[] = [];
  const failed: unknown[] = [];
  for (let index = 0; index < count; index++) {
    pacer.enter(signal).then(
      (slot) => {
        begun.push(performance.now() - startedAt);
        slots.push(slot);
      },
      (error: unknown) => void failed.push(error),
    );
  }
  return { begun, slots, failed };
}

// Counted again, a rewrite that has to write each object twice would be at half the rate that a person has set.
test("what an object needs beyond its first request comes first, and the rate doesn't count it", async () => {
  const pacer = createPacer(1, "normal", () => fixedLimit(3).limit);
  const { begun } = objects(pacer, 3);
  await turn();
  expect(begun).toEqual([0]);
  const goesOnAt: number[] = [];
  for (let index = 0; index < 2; index++) {
    const slot = await pacer.enter(open, { goesOn: true });
    goesOnAt.push(performance.now());
    slot("answered");
  }
  expect(goesOnAt[1]).toBe(goesOnAt[0]);
  await vi.advanceTimersByTimeAsync(2_100);
  expect(begun).toEqual([0, 1_000, 2_000]);
});

test("an object that goes on waits for a slot and the end of a pause, too, but before all that have not begun", async () => {
  const pacer = createPacer(1_000, "normal", () => fixedLimit(1).limit);
  const { begun, slots } = objects(pacer, 2);
  await turn();
  const order: string[] = [];
  const enter = async (name: string, goesOn: boolean) => {
    const slot = await pacer.enter(open, { goesOn });
    order.push(name);
    slot("answered");
  };
  void enter("new", false);
  void enter("goes on", true);
  pacer.pause();
  slots[0]?.("answered");
  await vi.advanceTimersByTimeAsync(100);
  expect([order, begun.length]).toEqual([[], 1]);
  pacer.resume();
  await vi.advanceTimersByTimeAsync(100);
  expect([order, begun.length]).toEqual([["goes on"], 2]);
});

describe("concurrency", () => {
  test("follows the limit: the next object starts when one ends, in order of arrival", async () => {
    const pacer = createPacer(null, "normal", () => fixedLimit(3).limit);
    const order: number[] = [];
    const slots: Slot[] = [];
    for (let index = 0; index < 6; index++) {
      pacer.enter(open).then((slot) => {
        order.push(index);
        slots.push(slot);
      });
    }
    await turn();
    expect([order, pacer.underWay()]).toEqual([[0, 1, 2], 3]);
    slots[1]?.("answered");
    await turn();
    expect(order).toEqual([0, 1, 2, 3]);
    slots[0]?.("failed");
    slots[2]?.("overloaded");
    await turn();
    expect([order, pacer.underWay()]).toEqual([[0, 1, 2, 3, 4, 5], 3]);
  });

  test("reports latency, concurrency and overload to the limit, but not failures", async () => {
    const { limit, told } = fixedLimit(3);
    const { slots } = objects(
      createPacer(null, "normal", () => limit),
      3,
    );
    await vi.advanceTimersByTimeAsync(40);
    slots[1]?.("answered");
    slots[0]?.("failed");
    slots[2]?.("overloaded");
    expect(told).toEqual(["answered 40 2", expect.stringMatching(/^overloaded \d/)]);
  });

  test("a slot given back twice frees one place", async () => {
    const pacer = createPacer(null, "normal", () => fixedLimit(1).limit);
    const { begun, slots } = objects(pacer, 3);
    await turn();
    slots[0]?.("answered");
    slots[0]?.("answered");
    await turn();
    expect([begun.length, pacer.underWay()]).toEqual([2, 1]);
  });

  test("starts nothing after it is lowered until enough requests have ended", async () => {
    const { limit, set } = fixedLimit(4);
    const pacer = createPacer(null, "normal", () => limit);
    const { begun, slots } = objects(pacer, 8);
    await turn();
    set(2);
    for (const slot of slots.slice(0, 2)) slot("answered");
    await turn();
    expect(begun).toHaveLength(4);
    slots[2]?.("answered");
    await turn();
    expect(begun).toHaveLength(5);
  });
});

/** From now on, all timers are late by so much, as where the process is busy. */
function lateTimers(ms: number): void {
  const inTime = setTimeout;
  vi.spyOn(globalThis, "setTimeout").mockImplementation((callback, afterMs = 0) => inTime(callback, afterMs + ms));
}

describe("a rate", () => {
  // A record names any rate, as of a run that anyone who may patch the definition has put there: with room for each start it took gigabytes.
  test("of a record is the highest one that a request may name, at most", () => {
    expect(createPacer(Number.MAX_SAFE_INTEGER).maxPerSecond()).toBe(100_000);
  });

  test("spaces the starts", async () => {
    const pacer = createPacer(10, "normal", () => fixedLimit(100).limit);
    const { begun } = objects(pacer, 50);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(begun.length).toBeGreaterThanOrEqual(10);
    expect(begun.length).toBeLessThanOrEqual(11);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(begun.length).toBeLessThanOrEqual(21);
  });

  test("takes effect at once when raised, lowered or removed", async () => {
    const pacer = createPacer(1, "normal", () => fixedLimit(100).limit);
    const { begun } = objects(pacer, 300);
    await vi.advanceTimersByTimeAsync(500);
    expect(begun).toHaveLength(1);
    pacer.setMaxPerSecond(100);
    await vi.advanceTimersByTimeAsync(500);
    expect(begun.length).toBeGreaterThan(45);
    expect(begun.length).toBeLessThan(60);
    pacer.setMaxPerSecond(2);
    const before = begun.length;
    await vi.advanceTimersByTimeAsync(2_000);
    expect(begun.length - before).toBeLessThanOrEqual(5);
    pacer.setMaxPerSecond(null);
    await turn();
    expect([begun.length, pacer.maxPerSecond()]).toEqual([100, null]);
  });

  test("saves nothing up while idle", async () => {
    const pacer = createPacer(20, "normal", () => fixedLimit(100).limit);
    await vi.advanceTimersByTimeAsync(60_000);
    const { begun } = objects(pacer, 100);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(begun.length).toBeLessThanOrEqual(22);
  });

  // Without the window (createRateLimit in rate-limit.ts) what is made up for comes on top.
  test("is never exceeded over any two seconds, however late the timers are and whatever the order of arrival", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 500 }),
        fc.nat(60),
        fc.array(fc.record({ waitMs: fc.nat(400), count: fc.nat(200) }), { maxLength: 20 }),
        async (rate, lateMs, arrivals) => {
          vi.restoreAllMocks();
          lateTimers(lateMs);
          const pacer = createPacer(rate, "normal", () => fixedLimit(10_000).limit);
          const begun: number[] = [];
          for (const { waitMs, count } of arrivals) {
            for (let index = 0; index < count; index++) pacer.enter(open).then(() => void begun.push(performance.now()));
            await vi.advanceTimersByTimeAsync(waitMs);
          }
          const all = arrivals.reduce((sum, { count }) => sum + count, 0);
          await vi.advanceTimersByTimeAsync((all / rate) * 1_500 + 5_000);
          expect(begun).toHaveLength(all);
          const tooSoon = begun.findIndex((at, index) => at - (begun[index - 2 * rate] ?? Number.NEGATIVE_INFINITY) < 1_999.99);
          expect(tooSoon).toBe(-1);
        },
      ),
      { numRuns: 30 },
    );
  });

  test("is reached within five percent over ten seconds, from one to 500 a second, although timers are late", async () => {
    lateTimers(8);
    for (const rate of [1, 2, 3, 4, 7, 30, 100, 333, 500]) {
      const pacer = createPacer(rate, "normal", () => fixedLimit(10_000).limit);
      const stop = new AbortController();
      const { begun } = objects(pacer, 20 * rate, stop.signal);
      await turn();
      const before = begun.length;
      await vi.advanceTimersByTimeAsync(10_000);
      expect(begun.length - before).toBeGreaterThanOrEqual(9.5 * rate - 1);
      expect(begun.length - before).toBeLessThanOrEqual(10.5 * rate);
      stop.abort();
    }
  });

  // Where a change starts an object at once (lastAt in pacer.ts), thirty of them exceed any rate.
  test("isn't exceeded by changing it again and again", async () => {
    const pacer = createPacer(4, "normal", () => fixedLimit(100).limit);
    const { begun } = objects(pacer, 100);
    await turn();
    for (let change = 0; change < 30; change++) {
      pacer.setMaxPerSecond(change % 2 === 0 ? 3 : 4);
      await vi.advanceTimersByTimeAsync(50);
    }
    expect(begun.length).toBeLessThanOrEqual(7);
    pacer.setMaxPerSecond(null);
    await turn();
    pacer.setMaxPerSecond(1);
    const { begun: later } = objects(pacer, 5);
    await vi.advanceTimersByTimeAsync(900);
    expect(later).toHaveLength(0);
  });
});

describe("a pause", () => {
  test("starts nothing; it is pending until requests in progress have ended, then in force", async () => {
    const pacer = createPacer(null, "normal", () => fixedLimit(2).limit);
    const { begun, slots } = objects(pacer, 5);
    await turn();
    expect(pacer.paused()).toBe("no");
    pacer.pause();
    expect(pacer.paused()).toBe("pressed");
    slots[0]?.("answered");
    expect(pacer.paused()).toBe("pressed");
    slots[1]?.("answered");
    expect(pacer.paused()).toBe("in-force");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(begun).toHaveLength(2);
    pacer.resume();
    await turn();
    expect([begun.length, pacer.paused()]).toEqual([4, "no"]);
  });

  test("holds against the rate's timer, a changed rate and new arrivals", async () => {
    const pacer = createPacer(10, "normal", () => fixedLimit(100).limit);
    const { begun } = objects(pacer, 5);
    await turn();
    pacer.pause();
    pacer.setMaxPerSecond(1_000);
    const { begun: later } = objects(pacer, 5);
    pacer.setMaxPerSecond(null);
    await vi.advanceTimersByTimeAsync(10_000);
    expect([begun.length, later.length]).toEqual([1, 0]);
  });

  test("has no effect if withdrawn before it is in force", async () => {
    const pacer = createPacer(null, "normal", () => fixedLimit(1).limit);
    const { begun, slots } = objects(pacer, 2);
    await turn();
    pacer.pause();
    pacer.resume();
    expect(pacer.paused()).toBe("no");
    slots[0]?.("answered");
    await turn();
    expect(begun).toHaveLength(2);
  });
});

describe("an abort", () => {
  test("ends every wait at once with its reason, even while paused, and leaves no slot taken", async () => {
    for (const paused of [false, true]) {
      const pacer = createPacer(1, "normal", () => fixedLimit(2).limit);
      const stop = new AbortController();
      const { begun, failed, slots } = objects(pacer, 5, stop.signal);
      await turn();
      if (paused) pacer.pause();
      const reason = new Error("cancelled");
      stop.abort(reason);
      await turn();
      expect(failed).toEqual([reason, reason, reason, reason]);
      expect(begun).toHaveLength(1);
      slots[0]?.("failed");
      expect(pacer.underWay()).toBe(0);
      await vi.advanceTimersByTimeAsync(60_000);
      expect(begun).toHaveLength(1);
    }
  });

  test("of one request keeps the others' turns", async () => {
    const pacer = createPacer(10, "normal", () => fixedLimit(10).limit);
    const stop = new AbortController();
    const first = objects(pacer, 1);
    const cancelled = objects(pacer, 1, stop.signal);
    const others = objects(pacer, 2);
    await turn();
    stop.abort(new Error("cancelled"));
    await vi.advanceTimersByTimeAsync(1_000);
    expect([first, cancelled, others].map(({ begun }) => begun.length)).toEqual([1, 0, 2]);
  });

  test("before entering rejects at once", async () => {
    await expect(createPacer(null).enter(AbortSignal.abort(new Error("cancelled")))).rejects.toThrow("cancelled");
  });
});

describe("the gentle pace", () => {
  // Without restMs (limit-of.ts) the next request follows at once, and one is always in front of everyone else's.
  test("sends one request at a time, and rests as long as its answer took", async () => {
    const { begun, slots } = objects(createPacer(null, "gentle"), 3);
    await turn();
    expect(begun).toEqual([0]);
    await vi.advanceTimersByTimeAsync(30);
    slots[0]?.("answered");
    await vi.advanceTimersByTimeAsync(29);
    expect(begun).toEqual([0]);
    await vi.advanceTimersByTimeAsync(1);
    expect(begun).toEqual([0, 60]);
  });

  // Without MOST_REST_MS (limit-of.ts) a process that was stopped for a night in the middle of a request rests for another one.
  test("rests five seconds at most", async () => {
    const { begun, slots } = objects(createPacer(null, "gentle"), 2);
    await vi.advanceTimersByTimeAsync(8 * 3_600_000);
    slots[0]?.("answered");
    await vi.advanceTimersByTimeAsync(5_000);
    expect(begun).toEqual([0, 8 * 3_600_000 + 5_000]);
  });

  test("ends at once when another pace is set", async () => {
    const pacer = createPacer(null, "gentle");
    const { begun, slots } = objects(pacer, 6);
    await vi.advanceTimersByTimeAsync(1_000);
    slots[0]?.("answered");
    pacer.setPace("normal");
    await turn();
    expect([begun.length, pacer.pace()]).toEqual([5, "normal"]);
  });
});
