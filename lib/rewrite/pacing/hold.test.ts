import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createGate, type Gate, GateHeld } from "./outage-gate.ts";

vi.mock("node:timers/promises", () => import("#lib/async/testing/global-timers.ts"));

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] }));
afterEach(() => void vi.useRealTimers());

const signal = new AbortController().signal;

/** Requests that want to be sent, with when each of them was. */
function requests(gate: Gate, count: number) {
  const sentAt: number[] = [];
  const startedAt = performance.now();
  const send = async () => {
    while ((await gate.enter(signal)).use() === null);
    sentAt.push(performance.now() - startedAt);
  };
  for (let index = 0; index < count; index++) void send();
  return { sentAt };
}

// Where one release ends both holds, a renewed record lets writes through whose definition may have changed.
test("each holder ends only its own hold, and nothing is sent until both have", async () => {
  const gate = createGate();
  gate.record.hold("The record can't be renewed.");
  gate.definition.hold("The definition can't be read.");
  const entered = vi.fn();
  const entering = gate.enter(signal).then((permit) => entered(permit.use()));
  gate.record.release();
  await vi.advanceTimersByTimeAsync(0);
  expect(entered).not.toHaveBeenCalled();
  await expect(gate.whenReleased(signal)).rejects.toThrow(GateHeld);
  expect(gate.cause()).toBe("The definition can't be read.");
  gate.definition.release(Date.now() + 1_000);
  await entering;
  expect(entered).toHaveBeenCalledWith("open");
});

// Without the time in `release` a process whose readings hang writes on; with `cause` in place of `failure` (outage-gate.ts) the page
// flickers twice a second.
test("a definition's release ends by itself, and only a failed reading is told", async () => {
  const gate = createGate();
  gate.definition.release(Date.now() + 1_000);
  const permit = await gate.enter(signal);
  await vi.advanceTimersByTimeAsync(1_001);
  expect(permit.use()).toBeNull();
  expect([gate.definition.cause(), gate.record.cause(), gate.cause()]).toEqual([expect.stringContaining("in time"), null, null]);
  gate.definition.hold("The definition can't be read.");
  expect(gate.cause()).toBe("The definition can't be read.");
  gate.close("The webhook is away.", null);
  expect(gate.cause()).toBe("The webhook is away.");
});

// By the wall clock alone, it would end only once a clock that was set back has caught up.
test("a definition's release ends in time although the clock is set back", async () => {
  const gate = createGate();
  gate.definition.release(Date.now() + 1_000);
  const permit = await gate.enter(signal);
  vi.setSystemTime(Date.now() - 60_000);
  await vi.advanceTimersByTimeAsync(999);
  expect(gate.definition.cause()).toBeNull();
  await vi.advanceTimersByTimeAsync(2);
  expect(permit.use()).toBeNull();
});

// With `failingSince` of an outage that lists have ended (enter of outage-gate.ts) it is interrupted at once.
test("an outage that lists have ended isn't one of the ten minutes before a reading is overdue", async () => {
  const gate = createGate();
  gate.close("away", null);
  await vi.advanceTimersByTimeAsync(1_000);
  gate.open();
  await vi.advanceTimersByTimeAsync(11 * 60_000);
  gate.definition.release(0);
  const entering = gate.enter(signal);
  await vi.advanceTimersByTimeAsync(100);
  gate.definition.release();
  expect((await entering).use()).toBe("open");
});

// Where the wait for a reading counts as a failure, a long pass of lists alone is interrupted by the second wait.
test("waiting for a reading now and then is not ten minutes without a success; failing readings are", async () => {
  const gate = createGate();
  const wait = async () => {
    gate.definition.release(0);
    const entering = gate.enter(signal);
    await vi.advanceTimersByTimeAsync(100);
    gate.definition.release();
    expect((await entering).use()).toBe("open");
  };
  await wait();
  await vi.advanceTimersByTimeAsync(11 * 60_000);
  await wait();
  gate.definition.hold("The definition can't be read.");
  const failing = expect(gate.enter(signal)).rejects.toThrow("Nothing has succeeded for ten minutes: The definition can't be read.");
  await vi.advanceTimersByTimeAsync(10 * 60_000 + 1_000);
  await failing;
});

describe("while the run may be lost", () => {
  test("nothing is sent, not even a probe, until the record is renewed", async () => {
    const gate = createGate();
    gate.record.hold("the record can't be renewed");
    gate.close("away", null);
    const { sentAt } = requests(gate, 5);
    await vi.advanceTimersByTimeAsync(5 * 60_000);
    expect(sentAt).toEqual([]);
    expect(gate.cause()).toBe("the record can't be renewed");
    gate.record.release();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sentAt).toHaveLength(1);
  });

  test("a waiting probe is not sent either", async () => {
    const gate = createGate();
    gate.close("away", 10_000);
    const { sentAt } = requests(gate, 2);
    await vi.advanceTimersByTimeAsync(5_000);
    gate.record.hold("the record can't be renewed");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sentAt).toEqual([]);
    gate.record.release();
    await vi.advanceTimersByTimeAsync(0);
    expect(sentAt).toHaveLength(1);
  });

  test("it holds by itself once its release time is over, and says so, until it is released again", async () => {
    const gate = createGate();
    gate.record.release(Date.now() + 25_000);
    await vi.advanceTimersByTimeAsync(25_001);
    const { sentAt } = requests(gate, 3);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sentAt).toEqual([]);
    expect(gate.cause()).toContain("wasn't renewed in time");
    gate.record.release(Date.now() + 25_000);
    await vi.advanceTimersByTimeAsync(0);
    expect(sentAt).toHaveLength(3);
    expect(gate.cause()).toBeNull();
  });
});

describe("a sender of several requests", () => {
  const tracked = (waiting: Promise<void>) => {
    const seen: { ended: string | null } = { ended: null };
    const note = (ended: string) => void Object.assign(seen, { ended });
    waiting.then(
      () => note("released"),
      (error: Error) => note(error.message),
    );
    return seen;
  };

  // Without the clock in cause() (hold.ts) it goes on.
  test("is stopped between them while the record isn't renewed, also by the clock", async () => {
    const gate = createGate();
    gate.record.release(Date.now() + 25_000);
    gate.close("away", null);
    await gate.whenReleased(signal);
    await vi.advanceTimersByTimeAsync(25_001);
    await expect(gate.whenReleased(signal)).rejects.toThrow(GateHeld);
    gate.record.release();
    await gate.whenReleased(signal);
    gate.record.hold("the record can't be renewed");
    await expect(gate.whenReleased(signal)).rejects.toThrow("the record can't be renewed");
  });

  // Where it is stopped each time (whenReleased of outage-gate.ts), it begins anew for ever: a slow API server's readings are always
  // overdue.
  test("waits for the definition's next reading, and goes on", async () => {
    const gate = createGate();
    gate.definition.release(0);
    const waiting = tracked(gate.whenReleased(signal));
    await vi.advanceTimersByTimeAsync(9_000);
    expect(waiting.ended).toBeNull();
    gate.definition.release(Date.now() + 200);
    await vi.advanceTimersByTimeAsync(0);
    expect(waiting.ended).toBe("released");
  });

  // Without failure() there, it waits for ever, with its slot, and nobody is told why.
  test("is stopped once that reading fails, and within a second once the record is overdue", async () => {
    const gate = createGate();
    gate.definition.release(0);
    const failing = tracked(gate.whenReleased(signal));
    gate.definition.hold("The definition can't be read.");
    await vi.advanceTimersByTimeAsync(0);
    expect(failing.ended).toBe("The definition can't be read.");
    gate.definition.release(0);
    gate.record.release(Date.now() + 5_000);
    const sleeping = tracked(gate.whenReleased(signal));
    await vi.advanceTimersByTimeAsync(6_001);
    expect(sleeping.ended).toContain("wasn't renewed in time");
  });

  test("is stopped at once by an abort", async () => {
    const gate = createGate();
    const stop = new AbortController();
    gate.definition.release(0);
    const waiting = tracked(gate.whenReleased(stop.signal));
    stop.abort(new Error("cancelled"));
    await vi.advanceTimersByTimeAsync(0);
    expect(waiting.ended).toBe("cancelled");
  });
});
