import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { LONGEST_TURN, whileWatched } from "./longest-turn.ts";

const compute = (ms: number) => {
  const { user, system } = process.threadCpuUsage();
  for (let spent = 0; spent < ms * 1_000; ) {
    const now = process.threadCpuUsage();
    spent = now.user + now.system - user - system;
  }
};

const longestOf = async (pieces: number, ms: number) => {
  const { longest, result } = await whileWatched(async () => {
    for (let piece = 0; piece < pieces; piece += 1) {
      await setTimeout(2);
      compute(ms);
    }
    return "done";
  });
  expect(result).toBe("done");
  return longest;
};

test("work in pieces has shorter turns than the same work at once", async () => {
  expect(await longestOf(20, 20)).toBeLessThan((await longestOf(1, 400)) / 2);
});

test("turns that are long once don't count, and turns that always are do", async () => {
  // On a machine that computes half as fast, parsing takes twice as long, too.
  const long = () => {
    for (let times = 0; times < 100; times += 1) JSON.parse(`[${"{},".repeat(100_000)}{}]`);
  };
  let tries = 0;
  const longAtFirst = await whileWatched(async () => {
    tries += 1;
    if (tries === 1) long();
  });
  expect(tries).toBe(2);
  expect(longAtFirst.longest).toBeLessThan(LONGEST_TURN);
  expect((await whileWatched(async () => long())).longest).toBeGreaterThan(LONGEST_TURN);
});
