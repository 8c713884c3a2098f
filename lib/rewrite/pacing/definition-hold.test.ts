import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createGate, GateHeld } from "./outage-gate.ts";

// The timers of node:timers/promises can't be faked, so here sleep waits on the global ones.
vi.mock("node:timers/promises", () => ({
  setTimeout: (ms: number, _value: undefined, { signal }: { signal: AbortSignal }) =>
    new Promise<void>((resolve, reject) => {
      signal.throwIfAborted();
      const timer = setTimeout(resolve, ms);
      signal.addEventListener("abort", () => {
        clearTimeout(timer);
        reject(signal.reason);
      });
    }),
}));

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] }));
afterEach(() => void vi.useRealTimers());

const signal = new AbortController().signal;

// Where one release ends both holds, a renewed record lets writes through whose definition may have changed.
test("each holder ends only its own hold, and nothing is sent until both have", async () => {
  const gate = createGate();
  gate.hold("The record can't be renewed.");
  gate.hold("The definition can't be read.", "definition");
  const entered = vi.fn();
  const entering = gate.enter(signal).then((admission) => entered(admission.use()));
  gate.release();
  await vi.advanceTimersByTimeAsync(0);
  expect(entered).not.toHaveBeenCalled();
  expect(() => gate.throwIfHeld()).toThrow(GateHeld);
  expect(gate.cause()).toBe("The definition can't be read.");
  gate.release(Date.now() + 1_000, "definition");
  await entering;
  expect(entered).toHaveBeenCalledWith("open");
});

// Without the time in `release` a process whose readings hang writes on; with OVERDUE in `cause` the page flickers twice a second.
test("a definition's release ends by itself, and only a failed reading is told", async () => {
  const gate = createGate();
  gate.release(Date.now() + 1_000, "definition");
  const admission = await gate.enter(signal);
  await vi.advanceTimersByTimeAsync(1_001);
  expect(admission.use()).toBeNull();
  expect([gate.isHeldBy("definition"), gate.isHeldBy("record")]).toEqual([true, false]);
  expect(gate.cause()).toBeNull();
  gate.hold("The definition can't be read.", "definition");
  expect(gate.cause()).toBe("The definition can't be read.");
  gate.close("The webhook is away.", null);
  expect(gate.cause()).toBe("The webhook is away.");
});

// Where the wait for a reading counts as a failure, a long pass of lists alone is interrupted by the second wait.
test("waiting for a reading now and then is not ten minutes without a success; failing readings are", async () => {
  const gate = createGate();
  const wait = async () => {
    gate.release(0, "definition");
    const entering = gate.enter(signal);
    await vi.advanceTimersByTimeAsync(100);
    gate.release(undefined, "definition");
    expect((await entering).use()).toBe("open");
  };
  await wait();
  await vi.advanceTimersByTimeAsync(11 * 60_000);
  await wait();
  gate.hold("The definition can't be read.", "definition");
  const failing = expect(gate.enter(signal)).rejects.toThrow("Nothing has succeeded for ten minutes: The definition can't be read.");
  await vi.advanceTimersByTimeAsync(10 * 60_000 + 1_000);
  await failing;
});
