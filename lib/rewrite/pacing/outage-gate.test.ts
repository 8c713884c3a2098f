import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createGate, type Gate } from "./outage-gate.ts";

vi.mock("node:timers/promises", () => import("#lib/async/testing/global-timers.ts"));

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] }));
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const open = new AbortController().signal;
/** Without jitter, so that the wait after the n-th failure is 0.5 s × 2^n. */
const withoutJitter = () => vi.spyOn(Math, "random").mockReturnValue(1);

/** Resolves when a request is sent. */
async function send(gate: Gate, signal = open): Promise<void> {
  while ((await gate.enter(signal)).use() === null);
}

/** Requests that want to be sent, with when each of them was. */
function requests(gate: Gate, count: number, signal = open) {
  const sentAt: number[] = [];
  const failed: unknown[] = [];
  const startedAt = performance.now();
  for (let index = 0; index < count; index++) {
    send(gate, signal).then(
      () => void sentAt.push(performance.now() - startedAt),
      (error: unknown) => void failed.push(error),
    );
  }
  return { sentAt, failed };
}

test("lets everything through while the API server answers", async () => {
  const gate = createGate();
  const { sentAt } = requests(gate, 24);
  await vi.advanceTimersByTimeAsync(0);
  expect(sentAt).toHaveLength(24);
  expect(gate.cause()).toBeNull();
});

test("tells when it probes next, but not while it is open, held, or probing", async () => {
  withoutJitter();
  const gate = createGate();
  expect(gate.retryAt()).toBeNull();
  gate.close("the webhook is away", 4_000);
  expect(gate.retryAt()).toBe(Date.now() + 4_000);
  gate.record.hold("the record can't be renewed");
  expect(gate.retryAt()).toBeNull();
  gate.record.release();
  requests(gate, 2);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(gate.retryAt()).toBe(Date.now() + 1_000);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(gate.retryAt()).toBeNull();
  gate.close("the webhook is away", null);
  expect(gate.retryAt()).toBe(Date.now() + 1_000);
  gate.succeeded();
  expect(gate.retryAt()).toBeNull();
});

describe("after a failure", () => {
  test("a single request probes after the backoff; its success releases the others and ends the outage", async () => {
    withoutJitter();
    const gate = createGate();
    gate.close("the API server is away", null);
    const { sentAt } = requests(gate, 24);
    await vi.advanceTimersByTimeAsync(499);
    expect(sentAt).toEqual([]);
    expect(gate.cause()).toBe("the API server is away");
    await vi.advanceTimersByTimeAsync(10_000);
    expect(sentAt).toEqual([500]);
    gate.succeeded();
    await vi.advanceTimersByTimeAsync(0);
    expect(sentAt).toHaveLength(24);
    expect(gate.cause()).toBeNull();
  });

  test("waiting requests take turns at probing, so that none probes repeatedly", async () => {
    withoutJitter();
    const gate = createGate();
    const tried: string[] = [];
    gate.close("the API server is away", null);
    for (const name of ["a", "b", "c"]) {
      const attempt = async (): Promise<void> => {
        await send(gate);
        tried.push(name);
        if (tried.length >= 6) return gate.succeeded();
        gate.close("the API server is away", null);
        return attempt();
      };
      void attempt();
    }
    await vi.advanceTimersByTimeAsync(60_000);
    expect(tried.slice(0, 6)).toEqual(["a", "b", "c", "a", "b", "c"]);
  });

  test("the next request probes when the one whose turn it was gives up", async () => {
    withoutJitter();
    const gate = createGate();
    const stop = new AbortController();
    gate.close("the API server is away", null);
    const first = requests(gate, 1, stop.signal);
    const second = requests(gate, 1);
    await vi.advanceTimersByTimeAsync(100);
    stop.abort(new Error("cancelled"));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(first.failed).toHaveLength(1);
    expect(second.sentAt).toHaveLength(1);
  });

  test("nothing is sent before the time that the server asked for", async () => {
    const gate = createGate();
    gate.close("slow down", 20_000);
    const { sentAt } = requests(gate, 5);
    await vi.advanceTimersByTimeAsync(19_999);
    expect(sentAt).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(sentAt).toHaveLength(1);
  });

  test("nothing is sent before the longest time that any answer asked for, even one that arrives while a probe waits", async () => {
    const gate = createGate();
    gate.close("slow down", 1_000);
    const { sentAt } = requests(gate, 5);
    await vi.advanceTimersByTimeAsync(100);
    // A request from before the failure is answered only now.
    gate.close("slow down", 20_000);
    await vi.advanceTimersByTimeAsync(19_000);
    expect(sentAt).toEqual([]);
    await vi.advanceTimersByTimeAsync(1_500);
    expect(sentAt).toHaveLength(1);
  });

  // With open() as for any outage (outage-gate.ts) they are sent at 100.
  test("a success of an earlier request ends the backoff, but not the time that the server asked for", async () => {
    withoutJitter();
    const gate = createGate();
    gate.close("away", null);
    for (let failures = 0; failures < 4; failures++) {
      const sent = send(gate);
      await vi.advanceTimersByTimeAsync(30_000);
      await sent;
      gate.close("slow down", 5_000);
    }
    const { sentAt } = requests(gate, 5);
    await vi.advanceTimersByTimeAsync(100);
    gate.succeeded();
    await vi.advanceTimersByTimeAsync(4_899);
    expect([sentAt, gate.cause()]).toEqual([[], "slow down"]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sentAt).toEqual([5_000]);
    gate.succeeded();
    await vi.advanceTimersByTimeAsync(0);
    expect([sentAt.length, gate.cause()]).toEqual([5, null]);
  });

  // Where a probe does not look again after its wait (enter and use of outage-gate.ts) it is sent at 500.
  test("a probe that waits while the gate opens and closes again waits for the newer closing, and is the only one", async () => {
    withoutJitter();
    const gate = createGate();
    gate.close("away", null);
    const { sentAt } = requests(gate, 1);
    await vi.advanceTimersByTimeAsync(100);
    gate.succeeded();
    gate.close("slow down", 1_500);
    const { sentAt: later } = requests(gate, 2);
    await vi.advanceTimersByTimeAsync(60_000);
    expect([sentAt, later]).toEqual([[1_600], []]);
  });

  // Where it sleeps on (settledWithin of outage-gate.ts) the first is sent at 500.
  test("the request waiting to probe wakes with the others when the gate opens", async () => {
    withoutJitter();
    const gate = createGate();
    gate.close("away", null);
    const { sentAt } = requests(gate, 3);
    await vi.advanceTimersByTimeAsync(100);
    gate.succeeded();
    await vi.advanceTimersByTimeAsync(0);
    expect(sentAt).toEqual([100, 100, 100]);
  });

  test("requests that fail together are one outage, probed by one request after the first backoff", async () => {
    withoutJitter();
    const gate = createGate();
    const sentAt: number[] = [];
    for (let index = 0; index < 24; index++) {
      gate.close("the API server is away", null);
      // What failed waits for its next try at once.
      send(gate).then(() => void sentAt.push(performance.now()));
      await vi.advanceTimersByTimeAsync(1);
    }
    const began = performance.now() - 24;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sentAt.map((at) => at - began)).toHaveLength(1);
    expect((sentAt[0] ?? 0) - began).toBeLessThanOrEqual(600);
  });

  test("each failed probe doubles the wait, up to thirty seconds", async () => {
    withoutJitter();
    const gate = createGate();
    const waits: number[] = [];
    gate.close("away", null);
    for (let probe = 0; probe < 9; probe++) {
      const before = performance.now();
      const sent = send(gate).then(() => waits.push(performance.now() - before));
      await vi.advanceTimersByTimeAsync(30_000);
      await sent;
      // The clock stands where the probe failed, not where the test looked.
      gate.close("away", null);
    }
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  });

  test("the run is interrupted when nothing has succeeded for ten minutes, with the cause", async () => {
    const gate = createGate();
    gate.close("away", null);
    let error: unknown;
    while (!error && performance.now() < 20 * 60_000) {
      const entering = send(gate).catch((thrown: unknown) => {
        error = thrown;
      });
      await vi.advanceTimersByTimeAsync(30_000);
      await entering;
      if (!error) gate.close("away", null);
    }
    expect(error).toMatchObject({ name: "StopRun", phase: "interrupted", message: "Nothing has succeeded for ten minutes: away" });
    expect(performance.now()).toBeLessThan(12 * 60_000);
  });
});

// Where the wait is as long as the server asked for (enter of outage-gate.ts) it is interrupted after an hour.
test("the ten minutes are over on time, whatever wait the server asked for", async () => {
  const gate = createGate();
  gate.close("slow down", 60 * 60_000);
  const { sentAt, failed } = requests(gate, 3);
  await vi.advanceTimersByTimeAsync(10 * 60_000 - 1);
  expect([sentAt, failed]).toEqual([[], []]);
  await vi.advanceTimersByTimeAsync(1);
  expect(failed).toHaveLength(3);
  expect(failed[0]).toMatchObject({ name: "StopRun", phase: "interrupted", message: "Nothing has succeeded for ten minutes: slow down" });
});

describe("an abort", () => {
  test("ends every wait at once with its reason, the probe's too", async () => {
    const stop = new AbortController();
    const gate = createGate();
    gate.close("away", 20_000);
    const { sentAt, failed } = requests(gate, 5, stop.signal);
    await vi.advanceTimersByTimeAsync(1);
    const reason = new Error("cancelled");
    stop.abort(reason);
    await vi.advanceTimersByTimeAsync(0);
    expect(failed).toEqual([reason, reason, reason, reason, reason]);
    expect(sentAt).toEqual([]);
  });

  test("lets nothing through, even if the gate is open", async () => {
    const stop = new AbortController();
    const gate = createGate();
    stop.abort(new Error("cancelled"));
    await expect(gate.enter(stop.signal)).rejects.toThrow("cancelled");
  });
});

test("an answer that is not about an object opens the gate, but does not count as a success", async () => {
  const gate = createGate();
  const before = gate.lastWorkedAt("storing");
  gate.close("away", null);
  await vi.advanceTimersByTimeAsync(1_000);
  gate.open();
  expect(gate.cause()).toBeNull();
  expect(gate.lastWorkedAt("storing")).toBe(before);
});

test("progress ends an outage and its ten minutes, but is no success of a write", async () => {
  const gate = createGate();
  const before = [gate.lastWorkedAt("storing"), gate.lastWorkedAt("conversion")];
  gate.close("away", null);
  await vi.advanceTimersByTimeAsync(6 * 60_000);
  gate.progressed();
  expect(gate.cause()).toBeNull();
  gate.close("away", 5 * 60_000);
  const { sentAt } = requests(gate, 1);
  await vi.advanceTimersByTimeAsync(5 * 60_000);
  expect(sentAt).toEqual([5 * 60_000]);
  expect([gate.lastWorkedAt("storing"), gate.lastWorkedAt("conversion")]).toEqual(before);
});

test("what shows that writes succeed says nothing about conversion, nor the other way around", async () => {
  const gate = createGate();
  const created = performance.now();
  await vi.advanceTimersByTimeAsync(10);
  gate.succeeded(created + 5);
  gate.converted(created + 7);
  gate.succeeded(created + 1);
  expect([gate.lastWorkedAt("storing") - created, gate.lastWorkedAt("conversion") - created]).toEqual([5, 7]);
});
