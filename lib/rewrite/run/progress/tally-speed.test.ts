import { describe, expect, test } from "vitest";
import type { Outcome } from "#lib/rewrite/run/object/outcome.ts";
import { begun, clocked, named } from "./testing/clocked-tally.ts";

const REWRITTEN: Outcome = { kind: "rewritten", resourceVersion: "1001" };

describe("speed", () => {
  const run = (perSecond: number, seconds: number, total: number) => {
    const { tally, wait } = clocked();
    tally.expect(total);
    tally.speed();
    for (let index = 0; index < perSecond * seconds; index++) {
      wait(1_000 / perSecond);
      tally.count(named(`o${index}`), REWRITTEN);
    }
    return { tally, wait };
  };

  test("is unknown until it is steady", () => {
    const { tally } = run(100, 1, 1_000);
    expect(tally.speed()).toEqual({ ratePerSecond: null, etaSeconds: null });
  });

  test("is the rate of the last seconds, with the time left at that rate", () => {
    const { tally } = run(100, 20, 10_000);
    const { ratePerSecond, etaSeconds } = tally.speed();
    expect(ratePerSecond).toBeCloseTo(100, -1);
    expect(etaSeconds).toBeCloseTo(80, -1);
  });

  test("forgets earlier rates: after ten idle seconds it is zero, with no time left", () => {
    const { tally, wait } = run(100, 5, 10_000);
    for (let second = 0; second < 12; second++) {
      wait(1_000);
      tally.speed();
    }
    expect(tally.speed()).toEqual({ ratePerSecond: 0, etaSeconds: null });
  });

  test("has no time left while the total is unknown", () => {
    const { tally, wait } = clocked();
    tally.speed();
    for (let index = 0; index < 50; index++) {
      wait(100);
      tally.count(named(`o${index}`), REWRITTEN);
    }
    expect(tally.speed()).toMatchObject({ ratePerSecond: expect.any(Number), etaSeconds: null });
  });

  test("is unknown again after the list restarts", () => {
    const { tally } = run(100, 20, 10_000);
    begun(tally, 10_000);
    expect(tally.speed().ratePerSecond).toBeNull();
  });
});

test("a rest does not lower the rate after it", () => {
  const { tally, wait } = clocked();
  tally.expect(1_000);
  const work = (seconds: number) => {
    for (let index = 0; index < seconds * 10; index++) {
      tally.count(named(`o${index}`), REWRITTEN);
      wait(100);
    }
  };
  work(5);
  wait(60_000);
  tally.rest();
  expect(tally.speed()).toEqual({ ratePerSecond: null, etaSeconds: null });
  work(5);
  expect(tally.speed().ratePerSecond).toBeCloseTo(10, 0);
});
