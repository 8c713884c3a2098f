import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { forEachInRoom } from "./for-each-in-room.ts";

const options = { concurrency: 4, mostBytes: 10, signal: AbortSignal.timeout(10_000) };

test("work begins as there is room, and what is larger than all of it is at work alone", async () => {
  let atWork = 0;
  const most: Record<number, number> = {};
  await forEachInRoom(sized(6, 4, 20, 1, 3), options, async ({ bytes }) => {
    atWork += bytes;
    most[bytes] = atWork;
    await setImmediate();
    atWork -= bytes;
  });
  expect(most).toEqual({ 6: 6, 4: 10, 20: 20, 1: 1, 3: 4 });
});

test("failed work gives its room back", async () => {
  const seen: number[] = [];
  const work = async ({ bytes }: { bytes: number }) => {
    seen.push(bytes);
    if (bytes === 8) throw new Error("failed");
  };
  await expect(forEachInRoom(sized(8, 9), options, work)).rejects.toThrow("failed");
  // Which was taken before.
  expect(seen).toEqual([8, 9]);
});

test("waiting for room ends with the signal", async () => {
  const unwanted = new AbortController();
  const work = async ({ bytes }: { bytes: number }) => {
    if (bytes === 9) throw new Error("begun without room");
    await setImmediate();
    unwanted.abort(new Error("cancelled"));
    await setImmediate();
  };
  const within = AbortSignal.any([unwanted.signal, options.signal]);
  await expect(forEachInRoom(sized(8, 9), { ...options, signal: within }, work)).rejects.toThrow("cancelled");
});

async function* sized(...sizes: number[]): AsyncGenerator<{ bytes: number }> {
  for (const bytes of sizes) yield { bytes };
}
