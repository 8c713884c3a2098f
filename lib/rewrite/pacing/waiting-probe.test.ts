import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { enterInTurn } from "#lib/rewrite/run/object/request/enter-in-turn.ts";
import { createGate } from "./outage-gate.ts";
import { createPacer } from "./pacer.ts";

vi.mock("node:timers/promises", () => import("#lib/async/testing/global-timers.ts"));

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] }));
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const open = new AbortController().signal;
/** Without jitter, so that the wait after the n-th failure is 0.5 s × 2^n. */
const withoutJitter = () => vi.spyOn(Math, "random").mockReturnValue(1);

describe("a probe that waits for the pacer", () => {
  /** Paused, with a probe that waits, and a second request behind it. */
  async function paused(signal = open) {
    withoutJitter();
    const gate = createGate();
    const pacer = createPacer(null);
    pacer.pause();
    gate.close("away", null);
    const sent: string[] = [];
    enterInTurn({ gate, pacer, signal }).then(
      ({ probes }) => sent.push(`first ${probes}`),
      () => {},
    );
    await vi.advanceTimersByTimeAsync(500);
    enterInTurn({ gate, pacer, signal: open }).then(({ probes }) => sent.push(`second ${probes}`));
    return { gate, pacer, sent };
  }

  test("is sent as soon as a slot is free", async () => {
    const { pacer, sent } = await paused();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sent).toEqual([]);
    pacer.resume();
    await vi.advanceTimersByTimeAsync(0);
    expect(sent).toEqual(["first true"]);
  });

  // Without use() after the pacer (enter-in-turn.ts) it is sent while the record can't be renewed.
  test("is not sent if the gate is held by then; one request is sent once it is released", async () => {
    const { gate, pacer, sent } = await paused();
    gate.record.hold("the record can't be renewed");
    pacer.resume();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sent).toEqual([]);
    gate.record.release();
    await vi.advanceTimersByTimeAsync(0);
    expect(sent).toEqual(["second true"]);
  });

  // Without the times in use() (outage-gate.ts) it is sent at once.
  test("is not sent before a time that the server asked for meanwhile", async () => {
    const { gate, pacer, sent } = await paused();
    gate.close("slow down", 5_000);
    pacer.resume();
    await vi.advanceTimersByTimeAsync(4_999);
    expect(sent).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(sent).toEqual(["second true"]);
  });

  // Without giveBack() after an abort (enter-in-turn.ts) nothing probes any more.
  test("gives its turn to the next when it is aborted there", async () => {
    const stop = new AbortController();
    const { pacer, sent } = await paused(stop.signal);
    stop.abort(new Error("cancelled"));
    await vi.advanceTimersByTimeAsync(0);
    pacer.resume();
    await vi.advanceTimersByTimeAsync(0);
    expect(sent).toEqual(["second true"]);
  });

  // Without pausedMs (outage-gate.ts) the run is interrupted by the first probe that fails afterwards.
  test("is not counted as failing while a person pauses for more than ten minutes", async () => {
    withoutJitter();
    const pacer = createPacer(null);
    const gate = createGate(pacer.pausedMs);
    gate.close("away", null);
    pacer.pause();
    const first = enterInTurn({ gate, pacer, signal: open });
    await vi.advanceTimersByTimeAsync(11 * 60_000);
    pacer.resume();
    (await first).leave("failed");
    gate.close("away", null);
    const second = enterInTurn({ gate, pacer, signal: open });
    await vi.advanceTimersByTimeAsync(1_000);
    expect((await second).probes).toBe(true);
    second.then(({ leave }) => leave("failed"));
    gate.close("away", null);
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    await expect(enterInTurn({ gate, pacer, signal: open })).rejects.toThrow("Nothing has succeeded for ten minutes: away");
  });
});
