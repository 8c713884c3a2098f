import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { logElapsed } from "./log-elapsed.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a step of less than two seconds logs nothing", async () => {
  const lines: string[] = [];
  const step = logElapsed(
    (line) => lines.push(line),
    "Copying",
    () => vi.advanceTimersByTimeAsync(1_900),
  );
  await step;
  expect(lines).toEqual([]);
});

test("a longer step logs its progress and its end", async () => {
  const lines: string[] = [];
  await logElapsed(
    (line) => lines.push(line),
    "Copying",
    () => vi.advanceTimersByTimeAsync(13_000),
  );
  expect(lines).toEqual(["Copying … 2 s", "Copying … 12 s", "Copying: done in 13 s"]);
});

test("a failed step is not logged as done", async () => {
  const lines: string[] = [];
  const failing = async () => {
    await vi.advanceTimersByTimeAsync(3_000);
    throw new Error("disk full");
  };
  await expect(logElapsed((line) => lines.push(line), "Copying", failing)).rejects.toThrow("disk full");
  expect(lines).toEqual(["Copying … 2 s"]);
});
