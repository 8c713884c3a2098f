import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { untilExpiry } from "./begin-run.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const MINUTE = 60_000;
const untilAborted = (signal: AbortSignal) => new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));

test("a run is interrupted half a minute before its token ends, and says what to do", async () => {
  let seen: AbortSignal | undefined;
  const done = untilExpiry({ expiresAt: Date.now() + 10 * MINUTE }, new AbortController().signal, (signal) => {
    seen = signal;
    return untilAborted(signal);
  });
  await vi.advanceTimersByTimeAsync(9.5 * MINUTE - 1);
  expect(seen?.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await done;
  expect(seen?.reason).toMatchObject({ phase: "interrupted", message: expect.stringContaining("then resume") });
});

test("a run whose token is about to end does not start", async () => {
  const done = untilExpiry({ expiresAt: Date.now() + 1_000 }, new AbortController().signal, untilAborted);
  await vi.advanceTimersByTimeAsync(0);
  await done;
});

test.each([null, Date.now() + 400 * 24 * 60 * MINUTE])("a token that ends at %s needs no timer", async (expiresAt) => {
  const stop = new AbortController();
  const done = untilExpiry({ expiresAt }, stop.signal, untilAborted);
  expect(vi.getTimerCount()).toBe(0);
  stop.abort();
  await done;
});

test("nothing of it remains once the run has ended", async () => {
  await untilExpiry({ expiresAt: Date.now() + MINUTE }, new AbortController().signal, async () => {});
  expect(vi.getTimerCount()).toBe(0);
});
