import { setTimeout } from "node:timers/promises";

/**
 * What nothing that anyone sends may exceed: how long one turn of the event loop computes, in ms, while all others wait for an answer.
 * crdshift aims at 50. Two cores that also run an API server and other tests take several times as long as idle ones, and what these
 * tests guard against took from 600 ms to minutes.
 */
export const LONGEST_TURN = 500;

/**
 * The longest turn of the event loop while this work went on, in ms of CPU time, and the work's result. CPU time, because the delay that
 * a clock shows also has the time that other processes took.
 */
export async function whileWatched<Result>(work: () => Promise<Result>): Promise<{ longest: number; result: Result }> {
  let longest = 0;
  let before = process.threadCpuUsage();
  // A timer of 1 ms fires once a turn.
  const watch = setInterval(() => {
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1_000);
    before = process.threadCpuUsage();
  }, 1);
  try {
    const result = await work();
    // The turn in which the work ended is over, too.
    await setTimeout(5);
    return { longest, result };
  } finally {
    clearInterval(watch);
  }
}
