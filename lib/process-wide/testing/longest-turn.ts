import { setTimeout } from "node:timers/promises";
import { collectGarbage } from "./collect-garbage.ts";

/**
 * What nothing that anyone sends may exceed: how long one turn of the event loop computes, in ms of an idle machine, while all others
 * wait for an answer. crdshift aims at 50; what these tests guard against took from 600 ms to minutes.
 */
export const LONGEST_TURN = 500;

const YARDSTICK = JSON.stringify(Object.fromEntries(Array.from({ length: 40_000 }, (_, index) => [`f:k${index}`, {}])));
/** What parsing that takes on idle cores, in ms. */
const PARSED_WITHIN = 25;

/** How often work whose turns are too long is done again. */
const TRIES = 3;

/**
 * The longest turn of the event loop while this work went on, in ms, and the work's result. It is CPU time, because the delay that a
 * clock shows also has the time that other processes took; and measured by what parsing takes on this machine meanwhile, because cores
 * that are shared with an API server and a build compute several times as slowly as idle ones. Other processes and the collection of
 * garbage can only add to it: work whose turns are too long is done again, up to three times in all, and the least counts.
 */
export function whileWatched<Result>(work: () => Promise<Result>): Promise<Watched<Result>> {
  return leastOfThree(() => watchedOnce(work));
}

interface Watched<Result> {
  longest: number;
  result: Result;
}

/** Watches again while the turns are too long. The least counts, with the last result. */
export async function leastOfThree<Result>(watch: () => Promise<Watched<Result>>): Promise<Watched<Result>> {
  let watched = await watch();
  for (let tries = 1; watched.longest >= LONGEST_TURN && tries < TRIES; tries += 1) {
    const again = await watch();
    watched = { ...again, longest: Math.min(watched.longest, again.longest) };
  }
  return watched;
}

async function watchedOnce<Result>(work: () => Promise<Result>): Promise<Watched<Result>> {
  let longest = 0;
  // Test files share a process: what others left isn't collected in a turn of this work.
  collectGarbage();
  const slowBefore = slowness();
  let before = process.threadCpuUsage();
  // A timer of 1 ms fires once a turn.
  const watch = setInterval(() => {
    longest = Math.max(longest, since(before));
    before = process.threadCpuUsage();
  }, 1);
  try {
    const result = await work();
    // The turn in which the work ended is over, too.
    await setTimeout(5);
    return { longest: longest / Math.max(slowBefore, slowness()), result };
  } finally {
    clearInterval(watch);
  }
}

/** How many times as long as on idle cores this thread takes to compute, now; at least 1. */
function slowness(): number {
  const before = process.threadCpuUsage();
  JSON.parse(YARDSTICK);
  return Math.max(1, since(before) / PARSED_WITHIN);
}

function since(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
