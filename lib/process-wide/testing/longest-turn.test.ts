import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { whileWatched } from "./longest-turn.ts";

const compute = (ms: number) => {
  const { user, system } = process.threadCpuUsage();
  for (let spent = 0; spent < ms * 1_000; ) {
    const now = process.threadCpuUsage();
    spent = now.user + now.system - user - system;
  }
};

test("a turn lasts as long as it computes", async () => {
  const { longest, result } = await whileWatched(async () => {
    await setTimeout(5);
    compute(100);
    return "done";
  });
  expect(longest).toBeGreaterThanOrEqual(100);
  expect(result).toBe("done");
});

test("work in pieces has short turns", async () => {
  const { longest } = await whileWatched(async () => {
    for (let piece = 0; piece < 20; piece += 1) {
      compute(10);
      await setTimeout(2);
    }
  });
  expect(longest).toBeLessThan(100);
});
