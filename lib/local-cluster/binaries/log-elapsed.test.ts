import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { logElapsed } from "./log-elapsed.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("logs nothing for a step under two seconds", async () => {
  const lines: string[] = [];
  const step = logElapsed(
    (line) => lines.push(line),
    "Copying",
    () => vi.advanceTimersByTimeAsync(1_900),
  );
  await step;
  expect(lines).toEqual([]);
});

test("logs what a longer step is doing and when it is done", async () => {
  const lines: string[] = [];
  await logElapsed(
    (line) => lines.push(line),
    "Copying",
    () => vi.advanceTimersByTimeAsync(13_000),
  );
  expect(lines).toEqual(["Copying … 2 s", "Copying … 12 s", "Copying: done in 13 s"]);
});

test("doesn't call a failed step done", async () => {
  const lines: string[] = [];
  const failing = async () => {
    await vi.advanceTimersByTimeAsync(3_000);
    throw new Error("disk full");
  };
  await expect(logElapsed((line) => lines.push(line), "Copying", failing)).rejects.toThrow("disk full");
  expect(lines).toEqual(["Copying … 2 s"]);
});
