import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createGate, type Gate } from "./outage-gate.ts";

vi.mock("node:timers/promises", () => import("#lib/async/testing/global-timers.ts"));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] });
  // Without jitter, the first wait is 0.5 s.
  vi.spyOn(Math, "random").mockReturnValue(1);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Resolves when a request is sent. */
async function send(gate: Gate): Promise<void> {
  while ((await gate.enter(new AbortController().signal)).use() === null);
}

// Where a dry run ends the outage (progressed of outage-gate.ts) every object's own check opens the gate, and nothing ever ends it.
test("while only storing fails, dry runs and rejections don't open the gate, nor end its ten minutes; a stored write does", async () => {
  const gate = createGate();
  gate.close("etcd is full", null, "storing");
  const failing = async () => {
    for (;;) {
      await send(gate);
      gate.tried(performance.now());
      await send(gate);
      gate.progressed();
      await send(gate);
      gate.close("etcd is full", null, "storing");
    }
  };
  const ended = expect(failing()).rejects.toThrow("Nothing has succeeded for ten minutes: etcd is full");
  await vi.advanceTimersByTimeAsync(10 * 60_000 + 1_000);
  await ended;
  gate.succeeded();
  expect(gate.cause()).toBeNull();
  gate.close("away", null);
  gate.tried(performance.now());
  expect(gate.cause()).toBeNull();
});

// Where the next one waits as after a failure (nextProbes), two dozen checks take their turns before a write is tried.
// Without storingUntold (noteEnd of request-for-object.ts) a dry run ends no later outage, however many writes would work.
test("once the object that couldn't be stored is gone, any progress ends an outage again", async () => {
  const gate = createGate();
  gate.close("too large", null, "storing");
  gate.storingUntold();
  gate.close("away", null);
  gate.tried(performance.now());
  expect(gate.cause()).toBeNull();
});

test("while only storing fails, the next request probes at once after a dry run that worked", async () => {
  const gate = createGate();
  gate.close("etcd is full", null, "storing");
  const sentAt: number[] = [];
  const startedAt = performance.now();
  for (let index = 0; index < 5; index += 1) {
    void send(gate).then(() => {
      sentAt.push(performance.now() - startedAt);
      gate.tried(performance.now());
    });
  }
  await vi.advanceTimersByTimeAsync(500);
  expect(sentAt).toEqual([500, 500, 500, 500, 500]);
});
